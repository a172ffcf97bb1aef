//! The levels of a format in a file.

use crate::level::{
    Axis, Batch, BatchView, Bitmap, BitmapView, BlockCompressed, BlockCompressedView, Compressed,
    CompressedView, Dense, DenseView, Hashed, HashedView, Levels, LooseCompressed,
    LooseCompressedView, Offset, Range, Singleton, SingletonView, Structured, StructuredView,
};
use crate::{Error, Level, Width};

use super::{ArrayReader, ArraySlices, ArrayWriter, FileNumber};

/// A level in the terms of Binsparse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Every coordinate under each parent, without arrays.
    Dense,
    /// A segment of `crd` for each parent, with bounds in `pos`.
    Sparse,
    /// The next coordinate of each node of a sparse level, in `crd`.
    Continued,
}

/// A level that files can store: a list of arrays with names, which are written, read, and borrowed
/// from the bytes of a file.
///
/// The built-in levels implement it. A level of another crate does so with a line for each array:
///
/// ```
/// use sparsegen::Error;
/// use sparsegen::io::binsparse::{ArrayReader, ArraySlices, ArrayWriter, FileLevel};
/// use sparsegen::level::Axis;
/// # use sparsegen::level::{Fault, Kind, Level, LevelView, Node, Parents};
/// # #[derive(Clone, Debug, PartialEq)]
/// # pub struct Run { pos: Vec<u32>, start: Vec<u32> }
/// # #[derive(Clone, Copy, Debug)]
/// # pub struct RunView<'a> { pos: &'a [u32], start: &'a [u32] }
/// # // SAFETY: nothing is built.
/// # unsafe impl Level for Run {
/// #     const KIND: Kind = Kind::new("run");
/// #     type View<'a> = RunView<'a>;
/// #     fn view(&self) -> RunView<'_> { RunView { pos: &self.pos, start: &self.start } }
/// #     fn build(
/// #         _: &Axis, _: usize, _: impl ExactSizeIterator<Item = (usize, usize)>,
/// #     ) -> Result<(Self, Vec<usize>), Fault> { Err(Fault::Size) }
/// # }
/// # // SAFETY: nothing is valid.
/// # unsafe impl LevelView for RunView<'_> {
/// #     fn children(&self, _: &Axis, _: usize) -> Option<usize> { None }
/// #     fn expand(&self, _: &Axis, _: Node<'_>) -> std::ops::Range<usize> { 0..0 }
/// #     fn child(&self, _: &Axis, _: Node<'_>, _: usize) -> Option<(usize, usize)> { None }
/// #     fn validate(&self, _: &Axis, _: &Parents<'_>) -> Result<usize, Fault> { Err(Fault::Size) }
/// #     fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> { Vec::new() }
/// # }
///
/// impl FileLevel for Run {
///     fn write(&self, _: &Axis, file: &mut ArrayWriter<'_>) -> Result<(), Error> {
///         file.array("pos", &self.pos)?;
///         file.array("start", &self.start)
///     }
///
///     fn read(_: &Axis, file: &mut ArrayReader<'_>) -> Result<Self, Error> {
///         Ok(Run { pos: file.array("pos")?, start: file.array("start")? })
///     }
///
///     fn borrow<'a>(_: &Axis, file: &mut ArraySlices<'a, '_>) -> Result<RunView<'a>, Error> {
///         Ok(RunView { pos: file.array("pos")?, start: file.array("start")? })
///     }
/// }
/// ```
///
/// A tensor that is read is validated, so an implementation need not check what it reads.
#[diagnostic::on_unimplemented(
    message = "the level `{Self}` cannot be stored in a file",
    note = "implement `sparsegen::io::binsparse::FileLevel` for it, or write the tensor in a format \
            of built-in levels"
)]
pub trait FileLevel: Level {
    /// The level in the terms of Binsparse. Other programs can read the tensor if each of
    /// its levels has a role; the default is `None`.
    const ROLE: Option<Role> = None;

    /// Writes the arrays.
    ///
    /// # Errors
    /// The errors of `file`.
    fn write(&self, axis: &Axis, file: &mut ArrayWriter<'_>) -> Result<(), Error>;

    /// Reads the arrays into memory.
    ///
    /// # Errors
    /// The errors of `file`.
    fn read(axis: &Axis, file: &mut ArrayReader<'_>) -> Result<Self, Error>;

    /// Borrows the arrays from the bytes of a file. It must use the same arrays in each call.
    ///
    /// # Errors
    /// The errors of `file`.
    fn borrow<'a>(axis: &Axis, file: &mut ArraySlices<'a, '_>) -> Result<Self::View<'a>, Error>;
}

macro_rules! file_levels {
    ($(impl[$($generics:tt)*] $level:ty as $view:ident, $role:expr, { $($array:ident),* })*) => {$(
        impl<$($generics)*> FileLevel for $level {
            const ROLE: Option<Role> = $role;

            fn write(&self, _: &Axis, file: &mut ArrayWriter<'_>) -> Result<(), Error> {
                $(file.array(stringify!($array), &self.$array)?;)*
                Ok(())
            }

            fn read(_: &Axis, file: &mut ArrayReader<'_>) -> Result<Self, Error> {
                $(let $array = file.array(stringify!($array))?;)*
                Ok(Self { $($array),* })
            }

            fn borrow<'a>(
                _: &Axis,
                file: &mut ArraySlices<'a, '_>,
            ) -> Result<Self::View<'a>, Error> {
                $(let $array = file.array(stringify!($array))?;)*
                Ok($view { $($array),* })
            }
        }
    )*};
}

file_levels! {
    impl[P: Width + FileNumber, C: Width + FileNumber] Compressed<P, C> as CompressedView,
        Some(Role::Sparse), { pos, crd }
    impl[P: Width + FileNumber, C: Width + FileNumber] LooseCompressed<P, C> as LooseCompressedView,
        None, { lo, hi, crd }
    impl[P: Width + FileNumber, C: Width + FileNumber, O: Width + FileNumber, const N: usize]
        BlockCompressed<P, C, O, N> as BlockCompressedView, None, { pos, blocks, first, crd }
    impl[C: Width + FileNumber] Singleton<C> as SingletonView, Some(Role::Continued), { crd }
    impl[C: Width + FileNumber, const N: usize, const M: usize] Structured<C, N, M>
        as StructuredView, None, { crd }
}

impl FileLevel for Dense {
    const ROLE: Option<Role> = Some(Role::Dense);

    fn write(&self, axis: &Axis, file: &mut ArrayWriter<'_>) -> Result<(), Error> {
        // Only a level that counts entries has a size that does not follow from the shape.
        if axis.counted { file.number("size", self.size) } else { Ok(()) }
    }

    fn read(axis: &Axis, file: &mut ArrayReader<'_>) -> Result<Self, Error> {
        let size = if axis.counted { file.number("size")? } else { axis.size };
        Ok(Dense { size })
    }

    fn borrow<'a>(axis: &Axis, file: &mut ArraySlices<'a, '_>) -> Result<DenseView, Error> {
        let size = if axis.counted { file.number("size")? } else { axis.size };
        Ok(DenseView { size })
    }
}

impl FileLevel for Batch {
    const ROLE: Option<Role> = Some(Role::Dense);

    fn write(&self, _: &Axis, _: &mut ArrayWriter<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn read(axis: &Axis, _: &mut ArrayReader<'_>) -> Result<Self, Error> {
        Ok(Batch { size: axis.size })
    }

    fn borrow<'a>(axis: &Axis, _: &mut ArraySlices<'a, '_>) -> Result<BatchView, Error> {
        Ok(BatchView { size: axis.size })
    }
}

impl FileLevel for Bitmap {
    fn write(&self, _: &Axis, file: &mut ArrayWriter<'_>) -> Result<(), Error> {
        file.number("size", self.size)?;
        file.array("bits", &self.bits)
    }

    fn read(_: &Axis, file: &mut ArrayReader<'_>) -> Result<Self, Error> {
        Ok(Bitmap { size: file.number("size")?, bits: file.array("bits")? })
    }

    fn borrow<'a>(_: &Axis, file: &mut ArraySlices<'a, '_>) -> Result<BitmapView<'a>, Error> {
        Ok(BitmapView { size: file.number("size")?, bits: file.array("bits")? })
    }
}

impl<C: Width + FileNumber> FileLevel for Hashed<C> {
    fn write(&self, _: &Axis, file: &mut ArrayWriter<'_>) -> Result<(), Error> {
        file.number("width", self.width)?;
        file.array("crd", &self.crd)
    }

    fn read(_: &Axis, file: &mut ArrayReader<'_>) -> Result<Self, Error> {
        Ok(Hashed { width: file.number("width")?, crd: file.array("crd")? })
    }

    fn borrow<'a>(_: &Axis, file: &mut ArraySlices<'a, '_>) -> Result<HashedView<'a, C>, Error> {
        Ok(HashedView { width: file.number("width")?, crd: file.array("crd")? })
    }
}

macro_rules! without_arrays {
    ($($level:ident)*) => {$(
        impl FileLevel for $level {
            fn write(&self, _: &Axis, _: &mut ArrayWriter<'_>) -> Result<(), Error> {
                Ok(())
            }

            fn read(_: &Axis, _: &mut ArrayReader<'_>) -> Result<Self, Error> {
                Ok($level)
            }

            fn borrow<'a>(_: &Axis, _: &mut ArraySlices<'a, '_>) -> Result<Self, Error> {
                Ok($level)
            }
        }
    )*};
}

without_arrays!(Range Offset);

/// The levels of a format that files can store: a tuple of [`FileLevel`]s.
#[diagnostic::on_unimplemented(
    message = "a level of `{Self}` cannot be stored in a file",
    note = "implement `sparsegen::io::binsparse::FileLevel` for it, or write the tensor in a format \
            of built-in levels"
)]
pub trait FileLevels: Levels {
    /// Each level in the terms of Binsparse.
    #[doc(hidden)]
    const ROLES: &'static [Option<Role>];

    #[doc(hidden)]
    fn write(&self, axes: &[Axis], file: &mut ArrayWriter<'_>) -> Result<(), Error>;

    #[doc(hidden)]
    fn read(axes: &[Axis], file: &mut ArrayReader<'_>) -> Result<Self, Error>;

    #[doc(hidden)]
    fn borrow<'a>(axes: &[Axis], file: &mut ArraySlices<'a, '_>) -> Result<Self::Views<'a>, Error>;
}

macro_rules! tuple {
    ($($name:ident $index:tt)*) => {
        #[allow(unused_variables, reason = "the tuple without levels")]
        impl<$($name: FileLevel),*> FileLevels for ($($name,)*) {
            const ROLES: &'static [Option<Role>] = &[$($name::ROLE),*];

            fn write(&self, axes: &[Axis], file: &mut ArrayWriter<'_>) -> Result<(), Error> {
                $(
                    file.level = $index;
                    self.$index.write(&axes[$index], file)?;
                )*
                Ok(())
            }

            #[allow(clippy::unused_unit, reason = "the tuple without levels")]
            fn read(axes: &[Axis], file: &mut ArrayReader<'_>) -> Result<Self, Error> {
                Ok(($({
                    file.level = $index;
                    $name::read(&axes[$index], file)?
                },)*))
            }

            #[allow(clippy::unused_unit, reason = "the tuple without levels")]
            fn borrow<'a>(
                axes: &[Axis],
                file: &mut ArraySlices<'a, '_>,
            ) -> Result<Self::Views<'a>, Error> {
                Ok(($({
                    file.level = $index;
                    $name::borrow(&axes[$index], file)?
                },)*))
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
