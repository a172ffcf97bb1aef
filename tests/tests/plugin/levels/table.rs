//! `table` for the program: a hash table for each parent, whose storage is that of `hashed`.

use std::ops::Range;

use sparsegen::Width;
use sparsegen::level::{Axis, Fault, Hashed, HashedView, Kind, Level, LevelView, Node, Parents};

/// The slots of `parent` are `parent * width..(parent + 1) * width`.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<C> {
    pub width: usize,
    pub crd: Vec<C>,
}

/// A borrowed [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct TableView<'a, C> {
    pub width: usize,
    pub crd: &'a [C],
}

// SAFETY: `Hashed` meets the requirements.
unsafe impl<C: Width> Level for Table<C> {
    const KIND: Kind = Kind::new("table").nonordered().list();

    type View<'a> = TableView<'a, C>;

    fn view(&self) -> TableView<'_, C> {
        TableView { width: self.width, crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        let (Hashed { width, crd }, positions) = Hashed::build(axis, parents, nodes)?;
        Ok((Table { width, crd }, positions))
    }
}

impl<'a, C> TableView<'a, C> {
    fn hashed(&self) -> HashedView<'a, C> {
        HashedView { width: self.width, crd: self.crd }
    }
}

// SAFETY: `HashedView` meets the requirements.
unsafe impl<C: Width> LevelView for TableView<'_, C> {
    fn children(&self, axis: &Axis, parents: usize) -> Option<usize> {
        self.hashed().children(axis, parents)
    }

    fn expand(&self, axis: &Axis, parent: Node<'_>) -> Range<usize> {
        self.hashed().expand(axis, parent)
    }

    fn child(&self, axis: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        self.hashed().child(axis, parent, slot)
    }

    fn locate(&self, axis: &Axis, parent: Node<'_>, coordinate: usize) -> Range<usize> {
        self.hashed().locate(axis, parent, coordinate)
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        self.hashed().validate(axis, parents)
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        self.hashed().arrays()
    }
}
