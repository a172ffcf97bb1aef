use super::*;
use crate::ir::{Function, samples};

fn emitted(functions: Vec<Function>) -> String {
    emit(&Module {
        manifest: "kernels.toml".into(),
        version: "0.1.0".into(),
        formats: Vec::new(),
        functions,
    })
}

#[test]
fn show() {
    println!("{}", emitted(vec![samples::spmv(), samples::add(), samples::scaled_sum()]));
}
