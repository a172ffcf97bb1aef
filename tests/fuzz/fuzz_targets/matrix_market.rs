#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sparsegen_harness::targets::matrix_market(bytes));
