//! Tests that invalid levels, and manifests that misuse levels, are errors with a reason.

use std::sync::Arc;

use sparsegen_build::level::code::{Expr, Stmt};
use sparsegen_build::level::{
    Append, Below, CoordinateIteration, Found, Holds, Insert, Level, Locate, PositionIteration,
    Promise, Properties, Property, Segment, Storage, StorageArray,
};
use sparsegen_build::{Compiler, explain_code};

/// A level with configurable answers.
#[derive(Clone, Debug)]
struct Told {
    name: &'static str,
    storage: &'static str,
    properties: Properties,
    settable: &'static [Property],
    arrays: &'static [StorageArray],
    carried: &'static [&'static str],
    by_coordinate: bool,
    by_position: bool,
    inserts: bool,
    /// The field that is read for a coordinate.
    reads: &'static str,
    /// The name of a bound variable.
    binds: Option<&'static str>,
    found: Option<Expr>,
    promises: bool,
}

const SOUND: Told = Told {
    name: "told",
    storage: "crate::Told",
    properties: Properties::SPARSE,
    settable: &[],
    arrays: &[
        StorageArray { field: "pos", holds: Holds::Positions },
        StorageArray { field: "crd", holds: Holds::Coordinates },
    ],
    carried: &[],
    by_coordinate: false,
    by_position: true,
    inserts: false,
    reads: "crd",
    binds: None,
    found: None,
    promises: false,
};

impl Level for Told {
    fn name(&self) -> &str {
        self.name
    }

    fn promise(&self) -> Option<Promise> {
        // SAFETY: the kernels of this level are examined, and not run.
        self.promises.then(|| unsafe { Promise::new() })
    }

    fn properties(&self) -> Properties {
        self.properties
    }

    fn settable(&self) -> &'static [Property] {
        self.settable
    }

    fn arrays(&self) -> &'static [StorageArray] {
        self.arrays
    }

    fn storage(&self, _: &str, _: &str) -> String {
        self.storage.to_owned()
    }

    fn with_numbers(&self, numbers: &[u64]) -> Option<Arc<dyn Level>> {
        (numbers == [1])
            .then(|| Arc::new(Told { reads: "nothing", ..self.clone() }) as Arc<dyn Level>)
    }

    fn coordinate_iteration(&self) -> Option<&dyn CoordinateIteration> {
        self.by_coordinate.then_some(self)
    }

    fn position_iteration(&self) -> Option<&dyn PositionIteration> {
        self.by_position.then_some(self)
    }

    fn insert(&self) -> Option<&dyn Insert> {
        self.inserts.then_some(self)
    }
}

impl CoordinateIteration for Told {
    fn coord_bounds(&self, storage: &Storage, _: Expr, _: &[Expr]) -> Segment {
        Segment { start: Expr::Index(0), end: storage.size.clone() }
    }

    fn coord_access(&self, _: &Storage, _: Expr, coordinate: Expr, _: &str) -> Found {
        Found::always(coordinate)
    }
}

impl PositionIteration for Told {
    fn pos_bounds(&self, storage: &Storage, parents: Segment) -> Segment {
        let end = |parent| storage.load("pos", parent);
        Segment { start: end(parents.start), end: end(parents.end) }
    }

    fn carried(&self) -> &'static [&'static str] {
        self.carried
    }

    fn pos_access(&self, storage: &Storage, position: Expr, _: &[Expr], _: &str) -> Found {
        let prelude = self.binds.map(|name| Stmt::bind(name, Expr::Index(0)));
        let value = storage.load(self.reads, position);
        Found { prelude: prelude.into_iter().collect(), value, found: self.found.clone() }
    }
}

impl Insert for Told {
    fn size(&self, storage: &Storage, parents: Expr) -> Expr {
        Expr::mul(parents, storage.size.clone())
    }

    fn insert_coord(&self, _: &Storage, parent: Expr, _: Expr, _: &Below, _: &str) -> Found {
        Found::always(parent)
    }
}

impl Locate for Told {
    fn locate(&self, _: &Storage, _: Expr, coordinate: Expr, _: &str) -> Found {
        Found::always(coordinate)
    }
}

impl Append for Told {
    fn append_init(&self, _: &Storage) -> Vec<Stmt> {
        Vec::new()
    }

    fn append_coord(&self, _: &Storage, _: Expr) -> Vec<Stmt> {
        Vec::new()
    }

    fn append_edges(&self, _: &Storage, _: Option<Expr>) -> Vec<Stmt> {
        Vec::new()
    }

    fn append_finalize(&self, _: &Storage, _: Option<Expr>) -> Vec<Stmt> {
        Vec::new()
    }

    fn count(&self, storage: &Storage) -> Expr {
        Expr::len(storage.array("crd"))
    }
}

const MANIFEST: &str = "
[formats]
rows = \"(i, j) -> (i : dense, j : told)\"

[kernels.spmv]
expr = \"y[i] = A[i,j] * x[j]\"
tensors = { y = \"dense\", A = \"rows\", x = \"dense\" }
";

fn mistakes(level: Told, manifest: &str) -> String {
    let output = Compiler::new().level(level).compile_str("kernels.toml", manifest);
    assert!(output.diagnostics.is_empty() || output.source.is_empty());
    output.diagnostics.render("kernels.toml", manifest)
}

#[test]
fn a_sound_level_is_used() {
    assert_eq!(mistakes(SOUND, MANIFEST), "");
}

/// Returns the source of a manifest that uses a level.
fn source(level: Told, manifest: &str) -> String {
    let output = Compiler::new().level(level).compile_str("kernels.toml", manifest);
    assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
    output.source
}

#[test]
fn indices_are_checked_unless_a_level_promises_that_they_are_in_bounds() {
    const CHECKED: &str = "/// Indices are checked, because the level `told` makes no promise.";
    const PROMISING: Told = Told { promises: true, ..SOUND };
    let proven = source(PROMISING, MANIFEST);
    assert!(proven.contains("unsafe {") && !proven.contains(CHECKED), "{proven}");
    let checked = source(SOUND, MANIFEST);
    assert!(!checked.contains("unsafe") && checked.contains(CHECKED), "{checked}");
    let asked = MANIFEST.replace("[kernels.spmv]", "[kernels.spmv]\nbounds = \"checked\"");
    assert!(!source(PROMISING, &asked).contains("unsafe"));
    // A kernel that does not use the level has unchecked accesses.
    let beside = format!(
        "{MANIFEST}\n[kernels.other]\nexpr = \"y[i] = A[i,j] * x[j]\"\ntensors = {{ y = \"dense\", A = \"csr\", x = \"dense\" }}\n"
    );
    assert!(source(SOUND, &beside).contains("unsafe {"));
}

#[test]
fn statements_of_one_kernel_are_checked_alike() {
    let manifest = "
[formats]
rows = \"(i, j) -> (i : dense, j : told)\"

[kernels.steps]
exprs = [\"y[i] = A[i,j] * x[j]\", \"z[i] = B[i,j] * y[j]\"]
tensors = { y = \"dense\", A = \"rows\", x = \"dense\", z = \"dense\", B = \"csr\" }
";
    let checked = source(SOUND, manifest);
    assert!(!checked.contains("unsafe"), "{checked}");
    assert!(source(Told { promises: true, ..SOUND }, manifest).contains("unsafe {"));
}

#[test]
fn a_name_that_is_known_is_not_replaced() {
    let told = Told { name: "dense", ..SOUND };
    let message = "error[SG0801]: there are two levels named `dense`
  = note: a level cannot replace a registered one
  = help: choose another name for your level
";
    assert_eq!(mistakes(told, ""), message);
    assert!(explain_code("SG0801").expect("the code has a page").contains(message));
    let compiler = Compiler::new().level(SOUND).level(SOUND);
    let output = compiler.compile_str("kernels.toml", MANIFEST);
    let messages: Vec<_> = output.diagnostics.iter().map(|mistake| &mistake.message).collect();
    assert_eq!(messages, ["there are two levels named `told`"]);
}

#[test]
fn contradictions_are_refused() {
    const UNUSED: Option<Expr> = Some(Expr::Bool(true));
    let check = |told: Told, expected: &[&str]| {
        let notes: String = expected.iter().map(|note| format!("  = note: {note}\n")).collect();
        let help = "see the documentation of `level::Level`";
        let name = told.name;
        let page =
            format!("error[SG0801]: the level `{name}` cannot be used\n{notes}  = help: {help}\n");
        assert_eq!(mistakes(told, MANIFEST), page.as_str());
    };
    let unique = Properties { unique: false, ..Properties::SPARSE };
    check(
        Told { storage: "crate::Told<", ..SOUND },
        &["its storage `crate::Told<` is not a Rust type"],
    );
    check(
        Told { by_position: false, ..SOUND },
        &["it iterates neither by coordinate nor by position"],
    );
    check(
        Told { by_coordinate: true, ..SOUND },
        &["it iterates both by coordinate and by position"],
    );
    check(Told { inserts: true, ..SOUND }, &["it inserts but cannot locate"]);
    check(
        Told { carried: &["run"], ..SOUND },
        &["it carries 1 variables, but `pos_begin` returns 0"],
    );
    check(
        Told { found: UNUSED, properties: unique, ..SOUND },
        &["positions may be unused, and coordinates may be repeated"],
    );
    check(
        Told { found: UNUSED, settable: &[Property::Full], ..SOUND },
        &["positions may be unused, and a map may declare it full"],
    );
    check(
        Told { reads: "crds", ..SOUND },
        &[
            "`pos_access` uses `crds`, which the level does not declare and the function is not given",
        ],
    );
    check(
        Told { binds: Some("j"), ..SOUND },
        &["`pos_access` binds `j`, which is not the given name with a suffix"],
    );
    const TWICE: &[StorageArray] = &[
        StorageArray { field: "pos", holds: Holds::Indices("run") },
        StorageArray { field: "pos", holds: Holds::Coordinates },
    ];
    check(
        Told { arrays: TWICE, ..SOUND },
        &[
            "it has two fields or carried variables called `pos`",
            "`pos` holds indices of `run`, which is not one of its arrays",
        ],
    );
}

#[test]
fn formats_name_levels_that_there_are() {
    let page = mistakes(SOUND, "[formats]\nrows = \"(i) -> (i : tolt)\"\n");
    assert!(page.contains("= help: did you mean `told`?"), "{page}");
    let page = mistakes(SOUND, "[formats]\nrows = \"(i) -> (i : skyscraper)\"\n");
    assert!(page.contains("`batch` and `told`"), "{page}");
    let page = mistakes(SOUND, "[formats]\nrows = \"(i) -> (i : told(nonunique))\"\n");
    assert!(page.contains("a `told` level cannot be `nonunique`"), "{page}");
    let page = mistakes(SOUND, "[formats]\nrows = \"(i) -> (i : told(sorted))\"\n");
    assert!(page.contains("there is no property `sorted`"), "{page}");
    let page = mistakes(SOUND, "[formats]\nrows = \"(i) -> (i : told(3))\"\n");
    assert!(page.contains("a `told` level takes no number"), "{page}");
    let page = mistakes(SOUND, "[formats]\nrows = \"(i) -> (i : told(1))\"\n");
    assert!(page.contains("a `told` level does not support these numbers"), "{page}");
}
