//! Tests of combinations of settings in a manifest: each compiles without a warning of rustc, or is
//! refused with a place and advice.

use std::fmt::Write as _;

use sparsegen_build::{Dtype, compile_str};
use sparsegen_harness::rustc::type_check;

/// The sources of manifests, and the errors of others.
#[derive(Default)]
struct Checked {
    source: String,
    accepted: usize,
    refused: usize,
    faults: Vec<String>,
}

impl Checked {
    fn compile(&mut self, manifest: &str) {
        let output = compile_str("kernels.toml", manifest);
        if output.diagnostics.is_empty() {
            let (k, code) = (self.accepted, output.source);
            let comment = manifest.replace('\n', "\n// ");
            let _ = writeln!(self.source, "// {comment}\npub mod m{k} {{\n{code}}}");
            self.accepted += 1;
            return;
        }
        self.refused += 1;
        let mut mistakes = output.diagnostics.iter();
        if !mistakes.all(|mistake| mistake.span.is_some() && mistake.help.is_some()) {
            self.faults.push(output.diagnostics.render("kernels.toml", manifest));
        }
    }

    fn finish(mut self, least: [usize; 2]) {
        self.faults.extend(type_check(&self.source).err());
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
        let [accepted, refused] = least;
        let (all, wrong) = (self.accepted, self.refused);
        assert!(all >= accepted && wrong >= refused, "{all} accepted, {wrong} refused");
    }
}

#[test]
fn fills_of_every_type() {
    let fills = ["0", "1", "-1", "2", "300", "0.5", "inf", "'-inf'", "nan", "true", "false"];
    let mut checked = Checked::default();
    for dtype in Dtype::ALL {
        for fill in fills {
            checked.compile(&format!(
                "[formats]\nfilled = {{ map = 'csr', fill = {fill} }}\n\
                 [kernels.copy]\nexpr = 'C[i,j] = A[i,j]'\n\
                 tensors = {{ C = 'filled', A = 'filled' }}\ndtype = '{dtype}'\n\
                 [kernels.mix]\nexpr = 'C[i,j] = select(A[i,j] != B[i,j], A[i,j], B[j,i])'\n\
                 tensors = {{ C = {{ map = 'dcsr', fill = {fill} }}, A = 'filled', B = 'filled' }}\n\
                 dtype = '{dtype}'\n"
            ));
        }
    }
    checked.finish([60, 40]);
}

#[test]
fn semirings_of_every_type() {
    let semirings = ["plus_times", "min_plus", "max_plus", "max_times", "min_max", "or_and"];
    let mut checked = Checked::default();
    for dtype in Dtype::ALL {
        for semiring in semirings {
            let keys = format!("dtype = '{dtype}'\nsemiring = '{semiring}'\n");
            checked.compile(&format!(
                "[kernels.spmv]\nexpr = 'y[i] = A[i,j] * x[j] + z[i]'\n\
                 tensors = {{ y = 'dense', A = 'csr', x = 'dense', z = 'sparse_vector' }}\n{keys}\
                 [kernels.spgemm]\nexpr = 'C[i,j] = A[i,k] * B[k,j]'\n\
                 tensors = {{ C = 'csr', A = 'csr', B = 'csr' }}\n{keys}"
            ));
            checked.compile(&format!(
                "[kernels.relaxed]\nexpr = 'y[i] += A[i,j] * x[j]'\n\
                 tensors = {{ y = 'dense', A = 'csc', x = 'sparse_vector' }}\n{keys}"
            ));
            checked.compile(&format!(
                "[kernels.masked]\n\
                 expr = 'y[i] = sum[j](present(A[i,j]) * (i >= j) * x[j] * 1) + 0'\n\
                 tensors = {{ y = 'dense', A = {{ format = 'csr', values = 'one' }}, x = 'dense' }}\n\
                 {keys}"
            ));
        }
    }
    checked.finish([100, 30]);
}

#[test]
fn widths_of_every_format() {
    let formats = [
        "csr",
        "csc",
        "dcsr",
        "dcsc",
        "coo",
        "coo_unordered",
        "csf",
        "dia",
        "ell",
        "hash_rows",
        "dense",
        "(i, j) -> (i / 2 : dense, j / 2 : compressed, i % 2 : dense, j % 2 : dense)",
        "(i, j) -> (i : hashed, j : compressed)",
        "(i, j) -> (i : dense, j : bitmap)",
        "(i, j) -> (i : dense, j : loose_compressed)",
        "(i, j) -> (i : dense, j / 4 : dense, j % 4 : structured(2, 4))",
    ];
    let widths = ["u8", "u16", "u32", "u64", "usize"];
    let mut checked = Checked::default();
    for (k, format) in formats.into_iter().enumerate() {
        for (m, pos) in widths.into_iter().enumerate() {
            let (crd, other) = (widths[(k + m * 2) % 5], widths[(k + m + 1) % 5]);
            checked.compile(&format!(
                "[defaults]\npos = '{pos}'\n\
                 [formats]\nmine = {{ map = '{format}', crd = '{crd}' }}\n\
                 [kernels.add]\nexpr = 'C[i,j] = A[i,j] + B[j,i]'\n\
                 tensors = {{ C = 'mine', A = 'mine', B = {{ map = 'csr', crd = '{other}' }} }}\n\
                 [kernels.multiply]\nexpr = 'C[i,j] = A[i,k] * B[k,j]'\n\
                 tensors = {{ C = {{ map = 'dcsr', crd = '{other}' }}, A = 'mine', B = 'mine' }}\n\
                 bounds = 'checked'\n"
            ));
        }
    }
    checked.finish([70, 0]);
}

#[test]
fn places_as_values_of_every_type() {
    let values =
        ["i * A[i,j]", "n * A[i,j] + n", "A[i,j] * (j - i)", "A[i,j] * (i < n)", "A[i,n] * x[j]"];
    let mut checked = Checked::default();
    for dtype in Dtype::ALL {
        for value in values {
            let vector = if value.contains('x') { ", x = 'dense'" } else { "" };
            let params = if value.contains('n') { "params = { n = 'index' }\n" } else { "" };
            checked.compile(&format!(
                "[kernels.placed]\nexpr = 'C[i,j] = {value}'\n\
                 tensors = {{ C = 'csr', A = 'csr'{vector} }}\ndtype = '{dtype}'\n{params}"
            ));
            checked.compile(&format!(
                "[kernels.links]\nexpr = 'C[i,j] = {value}'\n\
                 tensors = {{ C = 'csr', A = {{ format = 'csr', values = 'one' }}{vector} }}\n\
                 dtype = '{dtype}'\n{params}parallel = true\n"
            ));
        }
    }
    checked.finish([100, 4]);
}

#[test]
fn names_that_meet() {
    let mut checked = Checked::default();
    let manifests = [
        // One conversion format with two types, and user-defined formats with its names.
        "[formats]\nb_by_row = '(i, j) -> (i : compressed, j : dense)'\nhashed01 = 'csr'\n\
         [kernels.narrow]\nexpr = 'C[i,j] = A[i,j] * B[i,j]'\n\
         tensors = { C = 'dcsr', A = 'coo_unordered', B = 'coo_unordered' }\n\
         [kernels.wide]\nexpr = 'C[i,j] = A[i,j] * B[i,j]'\n\
         tensors = { C = 'dcsr', A = { map = 'coo_unordered', crd = 'u64' }, \
         B = { map = 'coo_unordered', crd = 'u64' } }\n\
         [kernels.modes]\nexpr = 's = A[i,j,k] * B[k,i,j]'\n\
         tensors = { A = 'csf', B = { map = 'csf', pos = 'u64' } }\n\
         [kernels.more_modes]\nexpr = 's = A[i,j,k] * B[k,i,j]'\n\
         tensors = { A = 'csf', B = { map = 'csf', fill = 1 } }\n",
        // Functions and arguments.
        "[kernels.a]\nexpr = 'C[i,j] = A[i,k] * B[k,j]'\ntensors = { C = 'csr', A = 'csr', B = 'csr' }\n\
         [kernels.b]\nexpr = 'C[i,j] = A[i,j] + B[j,i]'\ntensors = { C = 'csr', A = 'csr', B = 'csr' }\n\
         [kernels.t]\nexprs = ['T[i] = A[i,j] * x[j]', 'a_kernel = T[i] * T[i]']\n\
         tensors = { T = 'dense', A = 'csr', x = 'dense' }\n",
        "[kernels.k_]\nexpr = 'C_[i__1,j] = A_[i__1,j] + B__b[i__1,j] * b_b[j]'\n\
         tensors = { C_ = 'csr', A_ = 'csr', B__b = 'csr', b_b = 'dense' }\n",
        "[kernels.k]\nexprs = ['x[i] = A[i,j] * v[j]', 'y[i] = A[i,j] * w[j] * sum_y']\n\
         tensors = { x = 'dense', y = 'dense', A = 'csr', v = 'dense', w = 'dense' }\n",
        "[kernels.order]\nexpr = 'A[i,j] = T[i,j]'\ntensors = { A = 'f', T = 'csr' }\n\
         [formats]\nf = '(i, j) -> (i : dense, j : compressed(unpadded))'\nn = { map = 'coo', crd = 'u8' }\n\
         t = '(i) -> (i : dense)'\nlevels = 'csr'\n",
    ];
    for manifest in manifests {
        let output = compile_str("kernels.toml", manifest);
        let page = output.diagnostics.render("kernels.toml", manifest);
        // The only arguments that collide.
        assert!(page.is_empty() || manifest.contains("b_b"), "{page}");
        checked.compile(manifest);
    }
    checked.finish([4, 0]);
}

#[test]
fn lazy_results_of_every_kind() {
    let kernels = [
        "expr = 'y[i] = A[i,j] * x[j]'\ntensors = { y = 'dense', A = 'csr', x = 'dense' }",
        "expr = 'C[i,j] = A[i,j] + B[i,j]'\ntensors = { C = 'ell', A = 'own', B = 'dia' }",
        "expr = 's = alpha * x[i] * y[i]'\ntensors = { x = 'hash_vector', y = 'dense' }",
        "expr = 'y[j] = A[r,j]'\ntensors = { y = 'sparse_vector', A = 'csr' }\nparams = { r = 'index' }",
        "expr = 'C[i,j] = A[j,i]'\nparallel = true\n\
         tensors = { C = 'csc', A = { format = 'csr', values = 'one' } }",
        "expr = 'P[i,j] = A[i,j]'\n\
         tensors = { P = { format = 'csr', values = 'one' }, A = { format = 'coo', values = 'one' } }",
        // Names of what the module itself uses.
        "expr = 'fn[i] = super_[i,j] * lazy[j]'\n\
         tensors = { fn = 'dense', super_ = 'csr', lazy = 'dense' }",
        // These have no lazy function.
        "expr = 'y[i] += A[i,j] * x[j]'\ntensors = { y = 'dense', A = 'csr', x = 'dense' }",
        "expr = 'y[k] = x[k in rows]'\ntensors = { y = 'dense', x = 'dense' }\nparams = { rows = 'indices' }",
        "exprs = ['y[i] = A[i,j] * x[j]', 'z[j] = A[i,j] * w[i]']\n\
         tensors = { y = 'dense', z = 'dense', A = 'csr', x = 'dense', w = 'dense' }",
        "expr = 's = t'\ndtype = 'generic'",
    ];
    let mut checked = Checked::default();
    for dtype in ["f64", "f32", "i32", "c64"] {
        let mut manifest = format!("[defaults]\nlazy = true\ndtype = '{dtype}'\n");
        manifest += "[formats]\nown = '(i, j) -> (j : compressed, i : compressed)'\n\
                     lazy = '(i, j) -> (j : dense, i : compressed)'\n";
        for (k, kernel) in kernels.iter().enumerate() {
            let name = if k == 0 { "lazy".to_owned() } else { format!("k{k}") };
            manifest += &format!("[kernels.{name}]\n{kernel}\n");
        }
        checked.compile(&manifest);
    }
    checked.finish([4, 0]);
}

#[test]
fn distribution_by_key_and_by_command() {
    let kernels = [
        ("y[i] = A[i,j] * x[j]", "y = 'dense', A = 'csr', x = 'dense'", ""),
        ("C[i,j] = A[i,k] * B[k,j]", "C = 'csr', A = 'csr', B = 'dcsr'", ""),
        ("y[j] = A[i,j] * x[i]", "y = 'dense', A = 'csr', x = 'dense'", "'unroll(j, 1)', "),
        ("y[i] = A[i,j] * x[j]", "y = 'dense', A = 'csr', x = 'dense'", "'split(i, io, ii, 4)', "),
    ];
    for (expr, tensors, before) in kernels {
        let several = format!("exprs = ['{expr}', 's = v[i] * v[i]']");
        let one = format!("expr = '{expr}'");
        for (expr, more) in [(one, ""), (several, ", v = 'dense'")] {
            let manifest = |distribute: &str| {
                let tensors = format!("tensors = {{ {tensors}{more} }}");
                let output = compile_str(
                    "kernels.toml",
                    &format!("[kernels.k]\n{expr}\n{tensors}\n{distribute}\n"),
                );
                (output.diagnostics.render("kernels.toml", ""), output.source)
            };
            let by_key = manifest(&format!("distribute = 'i'\nschedule = [{before}]"));
            let by_command = manifest(&format!("schedule = [{before}'distribute(i)']"));
            let by_both =
                manifest(&format!("distribute = 'i'\nschedule = ['distribute(i)', {before}]"));
            assert!(by_key.1.contains("pub fn k_plan"), "{expr}: {}", by_key.0);
            assert!(by_key == by_command && by_key == by_both, "{expr}: {}", by_command.0);
        }
    }
}
