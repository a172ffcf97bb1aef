//! Breaks long lines where rustfmt breaks them, rather than where `prettyplease` does.

use super::{WIDTH, indent_of};

/// Takes a line that goes on with what the lines before it began, where these were broken in another
/// place than rustfmt would; whether it did.
pub(super) fn break_again(lines: &mut Vec<String>, line: &str) -> bool {
    let rest = line.trim_start();
    let Some(last) = lines.last() else { return false };
    if rest == "{" {
        // The head of a loop or a condition may fit its line after all.
        let head = lines.iter().rposition(|line| !is_operand(line)).unwrap_or(0);
        let apart: Vec<&str> = lines[head + 1..].iter().map(|line| line.trim_start()).collect();
        let parts = [lines[head].as_str()].into_iter().chain(apart).chain(["{"]);
        let whole = parts.collect::<Vec<_>>().join(" ");
        let begins = opens_loop(&lines[head]) || begins_condition(&lines[head]);
        let fits = begins && whole.chars().count() <= WIDTH;
        if fits {
            lines.truncate(head);
            lines.push(whole);
        }
        return fits;
    }
    if let Some(head) = head_of_loop(last, rest) {
        lines.pop();
        lines.extend(head);
        return true;
    }
    if let Some(call) = generic_call(lines, rest) {
        lines.truncate(lines.len() - 2);
        lines.extend(call);
        return true;
    }
    if let Some(operands) = operands(last, rest) {
        lines.pop();
        lines.extend(operands);
        lines.push(line.to_owned());
        return true;
    }
    false
}

fn is_operand(line: &str) -> bool {
    ["|| ", "&& "].iter().any(|operator| line.trim_start().starts_with(operator))
}

fn begins_condition(line: &str) -> bool {
    let start = line.trim_start();
    ["if ", "} else if ", "while "].iter().any(|word| start.starts_with(word))
}

fn opens_loop(line: &str) -> bool {
    line.trim_start().starts_with("for ") && line.contains(" in ") && !line.ends_with('{')
}

/// `for p in a[q]` and `as usize..…`: the range in one line, its own if it must.
fn head_of_loop(above: &str, rest: &str) -> Option<Vec<String>> {
    if !opens_loop(above) || !rest.starts_with("as ") {
        return None;
    }
    let (pattern, start) = above.split_once(" in ")?;
    let whole = format!("{above} {rest}");
    // The brace that follows belongs to the line.
    if whole.chars().count() + 2 <= WIDTH {
        return Some(vec![whole]);
    }
    let indent = " ".repeat(indent_of(above) + 4);
    Some(vec![format!("{pattern} in"), format!("{indent}{start} {rest}")])
}

/// `kernel::fits::<`, `u32,`, `>(…);`: the type in the line of the function, and arguments in lines of
/// their own where they do not fit it.
fn generic_call(lines: &[String], rest: &str) -> Option<Vec<String>> {
    let [.., function, ty] = lines else { return None };
    let arguments = rest.strip_prefix(">(").filter(|_| function.ends_with("::<"))?;
    let ty = ty.trim_start().strip_suffix(',')?;
    let whole = format!("{function}{ty}>({arguments}");
    if whole.chars().count() <= WIDTH {
        return Some(vec![whole]);
    }
    let close = arguments.rfind(')')?;
    let indent = " ".repeat(indent_of(function));
    let mut call = vec![format!("{function}{ty}>(")];
    let apart = split(&arguments[..close], ", ");
    call.extend(apart.iter().map(|argument| format!("{indent}    {argument},")));
    call.push(format!("{indent}{}", &arguments[close..]));
    Some(call)
}

/// The operands of `&&` or `||` in lines of their own, where one of them is.
fn operands(above: &str, rest: &str) -> Option<Vec<String>> {
    let operator = ["||", "&&"].into_iter().find(|operator| rest.starts_with(*operator))?;
    let (begins, goes_on) = (begins_condition(above), above.trim_start().starts_with(operator));
    let apart = split(above, &format!(" {operator} "));
    let [first, others @ ..] = apart.as_slice() else { return None };
    if !(begins || goes_on) || others.is_empty() {
        return None;
    }
    let indent = " ".repeat(indent_of(above) + if begins { 4 } else { 0 });
    let others = others.iter().map(|operand| format!("{indent}{operator} {operand}"));
    Some([(*first).to_owned()].into_iter().chain(others).collect())
}

/// The parts of a text between separators that stand in no brackets or quotes.
fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut depth, mut is_quoted, mut start) = (0_i32, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' | '[' if !is_quoted => depth += 1,
            ')' | ']' if !is_quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 && !is_quoted && at >= start && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            start = at + separator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: &[&str]) {
        let mut broken: Vec<String> = Vec::new();
        for line in lines {
            if !break_again(&mut broken, line) {
                broken.push((*line).to_owned());
            }
        }
        assert_eq!(broken, expected);
    }

    #[test]
    fn ranges_are_not_broken() {
        check(
            &["    for p in a2_pos[p_a]", "        as usize..a2_pos[p_a + 1] as usize", "    {"],
            &["    for p in a2_pos[p_a] as usize..a2_pos[p_a + 1] as usize {"],
        );
        let (start, end) = ("a".repeat(40), "b".repeat(40));
        check(
            &[&format!("for p in {start}[q]"), &format!("    as usize..{end}[q] as usize"), "{"],
            &["for p in", &format!("    {start}[q] as usize..{end}[q] as usize"), "{"],
        );
    }

    #[test]
    fn types_stand_with_their_functions() {
        check(&["    f::<", "        u8,", "    >(a, b)?;"], &["    f::<u8>(a, b)?;"]);
        let long = "l".repeat(90);
        check(
            &["f::<", "    u8,", &format!(">(\"{long}, \", b[c, d])?;")],
            &["f::<u8>(", &format!("    \"{long}, \","), "    b[c, d],", ")?;"],
        );
    }

    #[test]
    fn operands_stand_below_each_other() {
        let long = "l".repeat(90);
        check(
            &["if a == b || (c || d) || e", &format!("    || {long}"), "{"],
            &["if a == b", "    || (c || d)", "    || e", &format!("    || {long}"), "{"],
        );
        check(&["if a && b", "    || c", "{"], &["if a && b || c {"]);
    }
}
