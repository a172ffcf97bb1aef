//! `block_compressed`: coordinates in 8 or 16 bits, relative to blocks of consecutive coordinates.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Axis, Fault, Kind, Level, LevelView, Listing, Node, Parents, narrowed, segments, widened,
};
use crate::{Width, memory};

/// A level like [`Compressed`](super::Compressed) that stores each coordinate as its remainder by
/// `N`, in an integer type `O` of 8 or 16 bits, below a list of *blocks* of `N` coordinates.
///
/// Entries take 2 bytes less than with coordinates of 32 bits, and each block that has entries takes
/// a number and a position. It pays if blocks have several entries under each parent.
///
/// ```
/// use sparsegen::{Format, LevelMap, Map, Tensor, level};
///
/// /// `(i, j) -> (i : dense, j : block_compressed)`
/// #[derive(Clone, Copy, Debug)]
/// struct Rows;
///
/// impl Format for Rows {
///     const NAME: &'static str = "rows";
///     const MAP: Map = Map::new(&[
///         LevelMap::dimension(0, "dense"),
///         LevelMap::dimension(1, "block_compressed").parameters(&[65536]),
///     ]);
///     type Shape = [usize; 2];
///     type Levels = (level::Dense, level::BlockCompressed);
/// }
///
/// let entries = [([0, 7], 2.0), ([1, 3], 3.0), ([1, 65_540], 4.0), ([1, 65_541], 5.0)];
/// let a = Tensor::<f64, Rows>::from_triplets([2, 70_000], entries)?;
/// let columns = &a.levels().1;
/// // Row 1 has entries in two blocks, the second of which begins with column 65,536.
/// assert_eq!((&*columns.pos, &*columns.blocks), (&[0, 1, 3][..], &[0, 0, 1][..]));
/// assert_eq!(columns.first, [0, 1, 2, 4]);
/// assert_eq!(columns.crd, [7, 3, 4, 5]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockCompressed<P = u32, C = u32, O = u16, const N: usize = 65536> {
    /// The blocks of each parent: `pos[parent]..pos[parent + 1]`.
    pub pos: Vec<P>,
    /// The number of each block: its first coordinate, divided by `N`.
    pub blocks: Vec<C>,
    /// The first position of each block, followed by the number of positions.
    pub first: Vec<P>,
    /// The coordinate at each position, relative to its block.
    pub crd: Vec<O>,
}

/// A borrowed [`BlockCompressed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCompressedView<'a, P = u32, C = u32, O = u16, const N: usize = 65536> {
    /// The blocks of each parent: `pos[parent]..pos[parent + 1]`.
    pub pos: &'a [P],
    /// The number of each block: its first coordinate, divided by `N`.
    pub blocks: &'a [C],
    /// The first position of each block, followed by the number of positions.
    pub first: &'a [P],
    /// The coordinate at each position, relative to its block.
    pub crd: &'a [O],
}

// SAFETY: `build` appends the nodes in order to the blocks of each parent, and checks that numbers
// of blocks and positions fit; remainders by `N` fit `O`, which `KIND` demands.
unsafe impl<P: Width, C: Width, O: Width, const N: usize> Level for BlockCompressed<P, C, O, N> {
    const KIND: Kind = {
        assert!(1 < N && N - 1 <= O::LARGEST, "coordinates relative to a block fit their type");
        Kind::new("block_compressed").parameters(&[N]).compact()
    };

    type View<'a> = BlockCompressedView<'a, P, C, O, N>;

    fn view(&self) -> BlockCompressedView<'_, P, C, O, N> {
        let BlockCompressed { pos, blocks, first, crd } = self;
        BlockCompressedView { pos, blocks, first, crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        axis.fits::<C>()?;
        let (mut pos, mut first, mut crd) = (Vec::new(), Vec::new(), Vec::new());
        let bounds = parents.checked_add(1).ok_or(Fault::Size)?;
        memory::try_reserve(&mut pos, bounds).map_err(|_| Fault::Size)?;
        memory::try_reserve(&mut crd, nodes.len()).map_err(|_| Fault::Size)?;
        let positions = (0..nodes.len()).collect();
        let mut blocks: Vec<C> = Vec::new();
        pos.push(P::default());
        let mut nodes = nodes.peekable();
        for parent in 0..parents {
            let mut last = None;
            while let Some((_, coordinate)) = nodes.next_if(|(owner, _)| *owner == parent) {
                let number = coordinate / N;
                if last.replace(number) != Some(number) {
                    blocks.push(narrowed(number)?);
                    first.push(narrowed(crd.len())?);
                }
                crd.push(narrowed(coordinate % N)?);
            }
            pos.push(narrowed(blocks.len())?);
        }
        first.push(narrowed(crd.len())?);
        Ok((BlockCompressed { pos, blocks, first, crd }, positions))
    }
}

impl<P: Width, C: Width, O: Width, const N: usize> BlockCompressedView<'_, P, C, O, N> {
    /// Returns the blocks of a parent.
    fn blocks(&self, parent: usize) -> Range<usize> {
        self.pos[parent].to_usize()..self.pos[parent + 1].to_usize()
    }

    /// Returns the positions of a block.
    fn positions(&self, block: usize) -> Range<usize> {
        self.first[block].to_usize()..self.first[block + 1].to_usize()
    }

    /// Checks that `pos` divides the blocks among the parents, and `first` the positions among the
    /// blocks.
    fn validate_bounds(&self, parents: usize) -> Result<(), Fault> {
        let bounds = [
            ("pos", self.pos, parents, "blocks", self.blocks.len()),
            ("first", self.first, self.blocks.len(), "crd", self.crd.len()),
        ];
        for (name, array, count, of, most) in bounds {
            if count.checked_add(1) != Some(array.len()) {
                let reason = format!(
                    "`{name}` has {} elements, and needs one more than {count}",
                    array.len()
                );
                return Err(Fault::broken(array.len(), reason));
            }
            segments::validate_bounds(name, array, (of, most))?;
        }
        Ok(())
    }

    /// Checks the coordinates of a block.
    fn validate_block(&self, axis: &Axis, block: usize) -> Result<(), Fault> {
        let positions = self.positions(block);
        let (start, first) = (self.blocks[block].to_usize().checked_mul(N), positions.start);
        let within = &self.crd[positions];
        let Some(last) = within.last() else {
            return Err(Fault::broken(block, "the block has no positions"));
        };
        if let Some(index) = within.windows(2).position(|pair| pair[0] >= pair[1]) {
            let (from, to) = (within[index], within[index + 1]);
            let reason = format!("coordinates of a block go from {from:?} to {to:?}");
            return Err(Fault::broken(first + index + 1, reason));
        }
        let last = last.to_usize();
        if last >= N {
            let reason = format!("{last} is not below {N}, the number of coordinates of a block");
            return Err(Fault::broken(first + within.len() - 1, reason));
        }
        match start.and_then(|start| start.checked_add(last)) {
            Some(coordinate) if coordinate < axis.size => Ok(()),
            Some(_) | None => {
                let number = self.blocks[block];
                let reason = format!(
                    "coordinate {last} of block {number:?} of {N} is not below the size {}",
                    axis.size
                );
                Err(Fault::broken(first + within.len() - 1, reason))
            }
        }
    }
}

// SAFETY: `validate` checks that blocks lie one after the other within `crd`, none of them empty, so
// positions are below its length, and that the numbers of the blocks of a parent and the coordinates
// of each block increase and lie within the axis.
unsafe impl<P: Width, C: Width, O: Width, const N: usize> LevelView
    for BlockCompressedView<'_, P, C, O, N>
{
    fn children(&self, _: &Axis, _: usize) -> Option<usize> {
        Some(self.crd.len())
    }

    fn grown(&self, axis: &Axis, parents: usize, added: usize) -> Option<usize> {
        segments::grown::<P>(axis, parents, self.crd.len().checked_add(added)?)
    }

    fn expand(&self, _: &Axis, parent: Node<'_>) -> Range<usize> {
        let blocks = self.blocks(parent.position);
        self.first[blocks.start].to_usize()..self.first[blocks.end].to_usize()
    }

    fn child(&self, _: &Axis, parent: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        let blocks = self.blocks(parent.position);
        let behind = self.first[blocks.clone()].partition_point(|at| at.to_usize() <= slot);
        let block = blocks.start + behind - 1;
        Some((self.blocks[block].to_usize() * N + self.crd[slot].to_usize(), slot))
    }

    /// Carries the block of the slot.
    fn next_child(
        &self,
        _: &Axis,
        parent: Node<'_>,
        slot: usize,
        carried: &mut usize,
    ) -> Option<(usize, usize)> {
        let mut block = (*carried).max(self.pos[parent.position].to_usize());
        while self.first[block + 1].to_usize() <= slot {
            block += 1;
        }
        *carried = block;
        Some((self.blocks[block].to_usize() * N + self.crd[slot].to_usize(), slot))
    }

    fn listing(&self, _: &Axis) -> Option<Listing<'_>> {
        let narrow = |number: usize| u32::try_from(number).ok();
        let pos = self.pos.iter().map(|block| narrow(self.first[block.to_usize()].to_usize()));
        let crd = self.blocks.iter().enumerate().flat_map(|(block, number)| {
            let start = number.to_usize() * N;
            self.crd[self.positions(block)].iter().map(move |at| narrow(start + at.to_usize()))
        });
        Some(Listing::Segments {
            pos: pos.collect::<Option<_>>()?,
            crd: crd.collect::<Option<_>>()?,
        })
    }

    fn locate(&self, _: &Axis, parent: Node<'_>, coordinate: usize) -> Range<usize> {
        let blocks = self.blocks(parent.position);
        let numbers = &self.blocks[blocks.clone()];
        let Ok(at) = numbers.binary_search_by(|number| number.to_usize().cmp(&(coordinate / N)))
        else {
            return 0..0;
        };
        let positions = self.positions(blocks.start + at);
        let within = &self.crd[positions.clone()];
        match within.binary_search_by(|stored| stored.to_usize().cmp(&(coordinate % N))) {
            Ok(at) => positions.start + at..positions.start + at + 1,
            Err(_) => 0..0,
        }
    }

    fn validate(&self, axis: &Axis, parents: &Parents<'_>) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        self.validate_bounds(parents.count())?;
        for parent in 0..parents.count() {
            let blocks = self.blocks(parent);
            let numbers = &self.blocks[blocks.clone()];
            if let Some(index) = numbers.windows(2).position(|pair| pair[0] >= pair[1]) {
                let (from, to) = (numbers[index], numbers[index + 1]);
                let reason = format!("blocks of a parent go from {from:?} to {to:?}");
                return Err(Fault::broken(blocks.start + index + 1, reason));
            }
            for block in blocks {
                self.validate_block(axis, block)?;
            }
        }
        Ok(self.crd.len())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![
            ("pos", widened(self.pos)),
            ("blocks", widened(self.blocks)),
            ("first", widened(self.first)),
            ("crd", widened(self.crd)),
        ]
    }
}
