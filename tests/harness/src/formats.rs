//! Formats of matrices with every level, which tests combine as operands and results.

/// The built-in formats.
pub const BUILTIN: [&str; 12] = [
    "dense",
    "dense_col",
    "csr",
    "csc",
    "dcsr",
    "dcsc",
    "coo",
    "csf",
    "coo_unordered",
    "hash_rows",
    "dia",
    "ell",
];

/// Other formats, with their declarations.
pub const DECLARED: [(&str, &str); 9] = [
    ("bits", "(i, j) -> (i : dense, j : bitmap)"),
    ("blocks", "(i, j) -> (i / 2 : dense, j / 3 : compressed, i % 2 : dense, j % 3 : dense)"),
    (
        "sparse_blocks",
        "(i, j) -> (i / 2 : compressed, j / 2 : compressed, i % 2 : dense, j % 2 : dense)",
    ),
    ("loose", "(i, j) -> (i : dense, j : loose_compressed)"),
    ("hashes", "(i, j) -> (i : hashed, j : hashed)"),
    ("four_of_four", "(i, j) -> (i : dense, j / 4 : dense, j % 4 : structured(4, 4))"),
    ("dense_rows", "(i, j) -> (i : compressed, j : dense)"),
    ("short_rows", "(i, j) -> (i : dense, j : block_compressed(2))"),
    ("hash_columns", "(i, j) -> (j : dense, i : hashed)"),
];

/// Returns the names of all these formats.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.into_iter().chain(DECLARED.map(|(name, _)| name))
}
