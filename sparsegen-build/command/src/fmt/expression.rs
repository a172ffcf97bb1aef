//! The spaces of expressions in index notation and of maps.

/// A token, with the space before it in the original text.
struct Token<'t> {
    text: &'t str,
    kind: Kind,
    spaced: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Operator,
    Open,
    Close,
    Comma,
    Other,
}

/// Operators of two characters; those of one are single characters.
const OPERATORS: [&str; 12] =
    ["->", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "<<"];

/// Returns an expression, a command of a schedule or a map with the usual spaces.
pub fn format(text: &str) -> String {
    let tokens = tokens(text);
    let mut formatted = String::new();
    let mut open: Vec<(&str, bool)> = Vec::new();
    for (k, token) in tokens.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| &tokens[k]);
        if matches!(token.text, ")" | "]" | "}") {
            open.pop();
        }
        let within = open.last().copied().unwrap_or(("", false));
        if before.is_some_and(|before| is_apart(&tokens, k, before, token, within)) {
            formatted.push(' ');
        }
        formatted.push_str(token.text);
        if matches!(token.text, "(" | "[" | "{") {
            open.push((token.text, token.text == "[" && has_spaces(&tokens[k + 1..])));
        }
    }
    formatted
}

/// Returns whether a space is between two tokens. `within` is the innermost bracket, and whether its
/// indices have spaces themselves.
fn is_apart(
    tokens: &[Token<'_>],
    k: usize,
    before: &Token<'_>,
    token: &Token<'_>,
    within: (&str, bool),
) -> bool {
    let in_subscript = within.0 == "[";
    let is_prefix = |k: usize| is_prefix(tokens, k);
    match (before.kind, token.kind) {
        (_, Kind::Comma | Kind::Close) | (Kind::Open, _) => false,
        (Kind::Comma, _) => !in_subscript || within.1,
        (Kind::Operator, _) if is_prefix(k - 1) => false,
        (Kind::Operator, _) => !is_tight(before.text, in_subscript),
        (_, Kind::Operator) if is_prefix(k) => token.spaced,
        // The operator of an update, `min=`.
        (Kind::Word, Kind::Operator)
            if token.text == "=" && k.checked_sub(2).is_some_and(|k| ends(&tokens[k])) =>
        {
            false
        }
        (_, Kind::Operator) => !is_tight(token.text, in_subscript),
        (Kind::Word, Kind::Word) => true,
        (Kind::Word | Kind::Close, Kind::Open) => is_keyword(before.text),
        _ => token.spaced,
    }
}

/// Returns whether a token may be the last one of a result.
fn ends(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Word | Kind::Close)
}

/// Returns whether an operator has no spaces around it.
fn is_tight(operator: &str, in_subscript: bool) -> bool {
    operator == ".." || in_subscript && matches!(operator, "*" | "/" | "%")
}

/// The words of subscripts that an index or a set follows.
fn is_keyword(word: &str) -> bool {
    matches!(word, "in" | "step" | "shift")
}

/// Returns whether the operator at `k` has one operand only.
fn is_prefix(tokens: &[Token<'_>], k: usize) -> bool {
    let may_be = matches!(tokens[k].text, "-" | "!" | "#");
    let follows = k.checked_sub(1).map(|k| tokens[k].kind);
    may_be
        && (tokens[k].text != "-"
            || matches!(follows, None | Some(Kind::Operator | Kind::Open | Kind::Comma)))
}

/// Returns whether a subscript has words or sums, between which there are spaces.
fn has_spaces(rest: &[Token<'_>]) -> bool {
    let mut depth = 0;
    for (k, token) in rest.iter().enumerate() {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 => return false,
            Kind::Close => depth -= 1,
            Kind::Operator if depth == 0 && !is_tight(token.text, true) && !is_prefix(rest, k) => {
                return true;
            }
            Kind::Word if depth == 0 && is_keyword(token.text) => return true,
            // An index that is itself indexed, or a number, is set apart.
            Kind::Word if depth == 0 && token.text.starts_with(|c: char| c.is_ascii_digit()) => {
                return true;
            }
            Kind::Word | Kind::Operator | Kind::Comma | Kind::Other => {}
        }
        if token.text == "[" && depth > 0 {
            return true;
        }
    }
    false
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut spaced = false;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            (at, spaced) = (at + c.len_utf8(), true);
            continue;
        }
        let (length, kind) = first(&text[at..], c);
        tokens.push(Token { text: &text[at..at + length], kind, spaced });
        (at, spaced) = (at + length, false);
    }
    tokens
}

/// Returns the length and the kind of the first token, which begins with `c`.
fn first(text: &str, c: char) -> (usize, Kind) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if c.is_ascii_digit() {
        return (number(text), Kind::Word);
    }
    if is_word(c) {
        return (text.find(|c| !is_word(c)).unwrap_or(text.len()), Kind::Word);
    }
    let pair = OPERATORS.iter().chain(&[".."]).find(|operator| text.starts_with(**operator));
    if let Some(pair) = pair {
        return (pair.len(), Kind::Operator);
    }
    let kind = match c {
        '(' | '[' | '{' => Kind::Open,
        ')' | ']' | '}' => Kind::Close,
        ',' => Kind::Comma,
        '+' | '-' | '*' | '/' | '%' | '=' | '<' | '>' | '&' | '|' | '!' | ':' | '#' => {
            Kind::Operator
        }
        _ => Kind::Other,
    };
    (c.len_utf8(), kind)
}

/// Returns the length of a number: `0` of `0..4`, and all of `1.5e-3`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        from + bytes[from..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    let has_exponent = matches!(bytes.get(end.wrapping_sub(1)), Some(b'e' | b'E'));
    if has_exponent && matches!(bytes.get(end), Some(b'-' | b'+')) {
        end = digits(end + 1);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_the_usual_ones() {
        let cases = [
            ("y[i]=A[i , j]*x[ j ]", "y[i] = A[i,j] * x[j]"),
            ("y [i] = x[i]", "y[i] = x[i]"),
            ("r[i] = b[i]-A[i,j]*x[j]", "r[i] = b[i] - A[i,j] * x[j]"),
            ("y[i]+= -x[i]", "y[i] += -x[i]"),
            ("O[i,j]=w[k]*A[i,j+k-1]", "O[i,j] = w[k] * A[i, j + k - 1]"),
            ("o[i] = w[k] * x[2 * i + k - 1]", "o[i] = w[k] * x[2*i + k - 1]"),
            ("Y[i,j]=E[word[i],j]", "Y[i,j] = E[word[i], j]"),
            ("y[i]=x[i in 1 .. 6 step 2]", "y[i] = x[i in 1..6 step 2]"),
            ("y[i in {0,0}]=x[i]", "y[i in {0, 0}] = x[i]"),
            ("n[i]=sqrt(sum[j](A[i,j]*A[i,j]))", "n[i] = sqrt(sum[j](A[i,j] * A[i,j]))"),
            ("m[i] min=A[i,j]", "m[i] min= A[i,j]"),
            ("s=select(A[i,j]>2,1e-3,-1.5)", "s = select(A[i,j] > 2, 1e-3, -1.5)"),
            ("(i,j)->(i/4:dense,j : compressed)", "(i, j) -> (i / 4 : dense, j : compressed)"),
            ("(i,j)->(#i:dense , i:dense)", "(i, j) -> (#i : dense, i : dense)"),
            ("split(i,io,ii,32)", "split(i, io, ii, 32)"),
        ];
        for (text, expected) in cases {
            assert_eq!(format(text), expected, "{text}");
            assert_eq!(format(expected), expected);
        }
    }
}
