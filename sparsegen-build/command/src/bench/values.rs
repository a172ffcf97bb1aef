//! The values of tensors that are timed, of any element type: those of files, and others.

use sparsegen_build::inspect::Tensor;

/// The elements of a tensor, as Rust source.
#[derive(Debug)]
pub struct Values {
    /// The type that the tensor stores for each entry: `Pattern<f64>`.
    pub stored: String,
    /// The type of the numbers of a file: `f64`.
    pub read: String,
    /// A function from a number of a file to an element, if they differ.
    pub of_read: Option<String>,
    /// A function from a number between 0 and 1 to an element.
    pub made: String,
    /// The value of a scalar.
    pub scalar: String,
    /// The feature of `sparsegen` that the type needs.
    pub feature: Option<&'static str>,
}

impl Values {
    /// Returns the elements of a tensor. Those of types of the user are 1, because no other values of
    /// such a type are known; so are truth values and patterns.
    pub fn of(tensor: &Tensor) -> Values {
        let dtype = match tensor.dtype.as_str() {
            // The type that users of generic kernels take most.
            "generic" => "f64",
            dtype => dtype,
        };
        let same = |made: String, scalar: String, feature| Values {
            stored: dtype.to_owned(),
            read: dtype.to_owned(),
            of_read: None,
            made,
            scalar,
            feature,
        };
        let own = match dtype {
            "f64" | "f32" => same(format!("|x| (0.5 + x) as {dtype}"), "1.5".to_owned(), None),
            "f16" | "bf16" => same(
                format!("|x| {dtype}::from_f64(0.5 + x)"),
                format!("{dtype}::from_f64(1.5)"),
                Some("half"),
            ),
            "c64" | "c32" => {
                let part = if dtype == "c64" { "f64" } else { "f32" };
                same(
                    format!("|x| {dtype}::new((0.5 + x) as {part}, (0.5 - x) as {part})"),
                    format!("{dtype}::new(1.5, 0.5)"),
                    Some("complex"),
                )
            }
            "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => {
                same(format!("|x| (1.0 + 3.0 * x) as {dtype}"), "1".to_owned(), None)
            }
            _ => {
                let one = format!("<{dtype} as Value>::ONE");
                Values {
                    stored: dtype.to_owned(),
                    read: "f64".to_owned(),
                    of_read: Some(format!("|_| {one}")),
                    made: format!("|_| {one}"),
                    scalar: one,
                    feature: None,
                }
            }
        };
        match tensor.is_pattern {
            true => Values {
                stored: format!("Pattern<{dtype}>"),
                read: "f64".to_owned(),
                of_read: Some("|_| Pattern::ONE".to_owned()),
                made: "|_| Pattern::ONE".to_owned(),
                ..own
            },
            false => own,
        }
    }
}
