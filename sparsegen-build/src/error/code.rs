//! The codes of diagnostics: a table with a row for each cause.

use std::fmt;

/// Defines the codes, and includes the page of each: `guide/errors/CODE.md`.
macro_rules! codes {
    ($(#[doc = $title:literal] $name:ident = $code:literal,)*) => {
        /// The cause of a diagnostic.
        ///
        /// Each code has a page with an explanation, an example and its repair, which
        /// [`explain_code`](crate::explain_code) returns. A code keeps its meaning in later versions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// All codes, in the order of their numbers.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// Returns the code as it is printed, such as `SG0103`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$name => $code,)*
                }
            }

            /// Returns the cause in one sentence.
            pub fn title(self) -> &'static str {
                match self {
                    $(Code::$name => $title.trim_ascii(),)*
                }
            }

            /// Returns the explanation, as Markdown.
            pub fn page(self) -> &'static str {
                match self {
                    $(Code::$name => include_str!(concat!("../../guide/errors/", $code, ".md")),)*
                }
            }
        }

        #[doc = include_str!("../../guide/errors.md")]
        $(#[doc = include_str!(concat!("../../guide/errors/", $code, ".md"))])*
        pub mod errors {}
    };
}

codes! {
    /// The manifest is not valid TOML.
    InvalidToml = "SG0101",
    /// A section is unknown.
    UnknownSection = "SG0102",
    /// A key is unknown.
    UnknownKey = "SG0103",
    /// A value is of another kind than its key requires.
    WrongKind = "SG0104",
    /// A key does not allow its value.
    UnknownChoice = "SG0105",
    /// A required key is missing.
    MissingKey = "SG0106",
    /// Two keys exclude each other, or one requires another.
    ConflictingKeys = "SG0107",
    /// A kernel has no statement.
    MissingStatement = "SG0108",
    /// A name cannot be used in generated code.
    InvalidName = "SG0109",
    /// A name has two meanings.
    DuplicateName = "SG0110",
    /// Two kernels generate functions of the same name.
    FunctionsCollide = "SG0111",
    /// An element type is unknown.
    UnknownType = "SG0112",
    /// A semiring is unknown.
    UnknownSemiring = "SG0113",
    /// A text is not the path of a Rust item.
    InvalidPath = "SG0114",
    /// The declaration of a user function contradicts itself.
    InvalidFunction = "SG0115",

    /// Something else is expected at this place.
    UnexpectedToken = "SG0201",
    /// A character has no meaning in the language.
    UnexpectedCharacter = "SG0202",
    /// A number is not written as the language requires.
    InvalidNumber = "SG0203",
    /// The statement does not follow the grammar.
    Malformed = "SG0204",
    /// A reduction does not have the variables that it needs.
    MissingVariables = "SG0205",
    /// A name is reserved by the language.
    ReservedName = "SG0206",
    /// A text is nested too deeply.
    TooDeep = "SG0207",

    /// A tensor has no format.
    MissingFormat = "SG0301",
    /// A function is unknown.
    UnknownFunction = "SG0302",
    /// A function has another number of arguments.
    ArgumentCount = "SG0303",
    /// A parameter is not declared, or is of the other kind.
    UnknownParameter = "SG0304",
    /// A parameter is used as an index variable.
    ParameterAsVariable = "SG0305",
    /// A declared name is not used.
    NotUsed = "SG0306",
    /// The number of indices differs from the order of the tensor.
    OrderMismatch = "SG0307",
    /// A variable is used only on the left-hand side.
    OnlyOnLeft = "SG0308",
    /// The extent of a variable is unknown.
    UnknownExtent = "SG0309",
    /// A reduction must be written explicitly.
    AmbiguousSum = "SG0310",
    /// A variable is bound by a reduction and used otherwise.
    BoundAndFree = "SG0311",
    /// A result cannot be written at this subscript.
    SubscriptOnLeft = "SG0312",
    /// A slice or coordinate lies outside of its mode.
    InvalidSlice = "SG0313",
    /// The elements of a gather's list are not coordinates.
    GatherOfValues = "SG0314",
    /// A result is computed twice, or read before it is computed.
    ResultOrder = "SG0315",
    /// A tensor cannot be a pattern.
    InvalidPattern = "SG0316",

    /// The operands of an operator have different types.
    TypesDiffer = "SG0401",
    /// The value has another type than the result.
    ResultType = "SG0402",
    /// The values of a type have no order.
    NotOrdered = "SG0403",
    /// A truth value is required, or a number is found where one is.
    NotLogical = "SG0404",
    /// A function or conversion is not defined for a type.
    NotDefinedFor = "SG0405",
    /// A type cannot represent a constant.
    ConstantDoesNotFit = "SG0406",
    /// An operator is not defined in a semiring.
    NotInSemiring = "SG0407",
    /// A semiring does not support the element type.
    SemiringType = "SG0408",
    /// A format's fill value is not the zero of the semiring.
    SemiringFill = "SG0409",

    /// A format is unknown.
    UnknownFormat = "SG0501",
    /// A format is defined by itself.
    FormatCycle = "SG0502",
    /// A map does not determine the coordinates of an entry, or does so twice.
    NotInvertible = "SG0503",
    /// A dimension of a map is unknown, repeated, or has an impossible block.
    UnknownDimension = "SG0504",
    /// A level is unknown.
    UnknownLevel = "SG0505",
    /// A level does not support its numbers.
    LevelNumbers = "SG0506",
    /// A level does not support a property.
    LevelProperty = "SG0507",
    /// A level cannot store this, or cannot be at this place of a map.
    LevelPlacement = "SG0508",
    /// A list of widths has another length than the format requires.
    WidthCount = "SG0509",

    /// A schedule command is unknown.
    UnknownCommand = "SG0601",
    /// A number of a command is out of range.
    NumberOutOfRange = "SG0602",
    /// A command repeats another one, or has no effect.
    RepeatedCommand = "SG0603",
    /// A command names a loop that does not exist.
    UnknownLoop = "SG0604",
    /// A command names a tensor that it does not apply to.
    NotAnOperand = "SG0605",
    /// An expression cannot be computed into a workspace.
    CannotPrecompute = "SG0606",
    /// The loops cannot be nested in this order.
    CannotReorder = "SG0607",
    /// A loop cannot be divided into blocks.
    CannotSplit = "SG0608",
    /// Two loops cannot be fused.
    CannotFuse = "SG0609",
    /// A loop does not iterate over the positions of an operand.
    NoPositions = "SG0610",
    /// A loop cannot be unrolled.
    CannotUnroll = "SG0611",
    /// A loop cannot be run on several threads.
    CannotParallelize = "SG0612",
    /// A loop cannot skip entries by searching.
    CannotGallop = "SG0613",
    /// An operand cannot be looked up.
    CannotLocate = "SG0614",

    /// No loops can compute the kernel.
    NoLoops = "SG0701",
    /// A kernel or a format exceeds a limit.
    TooLarge = "SG0702",
    /// A kernel cannot be distributed among ranks.
    CannotDistribute = "SG0703",

    /// A user-defined level contradicts itself.
    InvalidLevel = "SG0801",

    /// The loops run on one thread although several were asked for.
    OneThread = "SG0901",
    /// Every call converts, packs or sorts a tensor.
    Converted = "SG0902",
    /// A sparse result stores every coordinate.
    StoredEverywhere = "SG0903",
    /// An operand in another format would take less time.
    SlowFormat = "SG0904",
    /// The loops would take less time without the schedule.
    SlowSchedule = "SG0905",
    /// An operand, a condition or a slice has no effect on the result.
    NoEffect = "SG0906",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the code with a name, such as `SG0103`; letters may be small.
pub(super) fn find(name: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
}
