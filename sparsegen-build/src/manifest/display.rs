//! Display of parsed manifests: one line per format and kernel, followed by the kernel's tensors.

use std::fmt::{self, Display, Formatter};

use super::{FormatEntry, FormatText, Given, KernelEntry, Manifest, TensorEntry};

impl Display for Manifest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for entry in &self.formats {
            writeln!(f, "{entry}")?;
        }
        for entry in &self.kernels {
            writeln!(f, "{entry}")?;
        }
        Ok(())
    }
}

impl Display for FormatEntry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "format {}: {}", self.name.text, self.format)
    }
}

impl Display for FormatText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.map.value)?;
        if let Some((pos, _)) = &self.pos {
            write!(f, ", positions of {pos}")?;
        }
        if let Some((crd, _)) = &self.crd {
            write!(f, ", coordinates of {crd}")?;
        }
        if let Some(fill) = self.fill {
            write!(f, ", {fill} where nothing is stored")?;
        }
        Ok(())
    }
}

impl Display for KernelEntry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let statement = self.statement.as_ref().map_or("", |statement| statement.value.trim());
        write!(f, "kernel {} of {}: {statement}", self.name.text, self.dtype)?;
        for tensor in &self.tensors {
            write!(f, "\n    {tensor}")?;
        }
        for (variable, extent) in &self.sizes {
            write!(f, "\n    {} in 0..{extent}", variable.text)?;
        }
        Ok(())
    }
}

impl Display for TensorEntry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name.text)?;
        match &self.format {
            Given::Value(format) => format.fmt(f)?,
            Given::Omitted => f.write_str("no format")?,
            Given::Broken => f.write_str("?")?,
        }
        self.dtype.map_or(Ok(()), |dtype| write!(f, " of {dtype}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn a_manifest_is_shown_in_the_order_of_the_file() {
        let text = "
[kernels.b]
expr = 'y[i] = A[i,j] * x[j]'
tensors = { y = { dtype = 'f64' }, A = { map = 'csr', pos = 'u64' }, x = 3 }
sizes = { j = 0x10 }
[defaults]
dtype = 'f32'
[formats]
z = '(i) -> (i : compressed)'
a = { map = 'csf', crd = 'u8' }
[kernels.a]
exprs = ['s = t']
";
        let (manifest, mistakes) = parse(text);
        let messages: Vec<_> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        assert!(messages.len() == 1 && messages[0].ends_with("found a number"), "{messages:?}");
        let expected = "\
format z: (i) -> (i : compressed)
format a: csf, coordinates of u8
kernel b of f32: y[i] = A[i,j] * x[j]
    y: no format of f64
    A: csr, positions of u64
    x: ?
    j in 0..16
kernel a of f32: s = t
";
        assert_eq!(manifest.to_string(), expected);
    }
}
