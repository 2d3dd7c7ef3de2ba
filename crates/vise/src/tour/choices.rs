//! What the tour looks for: in each language a few shapes that most code has, the telling ones first.

/// A search with a repeated metavariable: pattern, what it means.
pub(super) type Shape = (&'static str, &'static str);
/// A rewrite that shows well: pattern, template.
pub(super) type Change = (&'static str, &'static str);

/// Searches for a language.
pub(super) fn shapes(language: &str) -> Vec<Shape> {
    let own: &[Shape] = match language {
        "rust" => &[
            ("$A == $A", "a comparison of something with itself"),
            ("$X = $X.$M($$$A)", "a variable that is replaced by what one of its methods gives"),
            ("Some($X) => Some($X)", "an arm that gives back what it took apart"),
            ("$F($A, $A)", "a call with the same argument twice"),
            ("|$X| $X.$M($$$A)", "a closure that calls a method of its argument"),
        ],
        "python" => &[
            ("self.assertEqual($A, $A)", "an assertion that cannot fail"),
            ("$X = $X.$M($$$A)", "a variable that is replaced by what one of its methods gives"),
            ("self.$X = $X", "an attribute that is set from a parameter of its name"),
            ("$X = $X or $Y", "a default for a parameter"),
        ],
        "javascript" | "typescript" | "tsx" => &[
            ("this.$X = $X", "a property that is set from a parameter of its name"),
            ("$X = $X || $Y", "a default for a variable"),
            ("$X && $X.$M($$$A)", "a guarded call"),
            ("$A === $A", "a comparison of something with itself"),
            ("$X => $X.$P", "a function that picks one property"),
        ],
        "go" => &[
            ("$X = append($X, $$$A)", "a slice that grows"),
            ("if $X != nil { return $X }", "an error that is handed on as it is"),
        ],
        "java" | "csharp" | "dart" => &[
            ("this.$X = $X;", "a field that is set from a parameter of its name"),
            ("$A != null && $A.$M($$$X)", "a guarded call"),
            ("$X = $X + $Y", "a sum that could be written shorter"),
        ],
        "c" | "cpp" => &[
            ("$X = $X->$N", "a step along a linked list"),
            ("for ($I = 0; $I < $N; $I++) $B", "a counting loop"),
            ("$X = $X + $Y", "a sum that could be written shorter"),
            ("if ($X) free($X);", "a check that `free` does itself"),
        ],
        "ruby" | "lua" => &[("$X = $X or $Y", "a default"), ("$X = $X + $Y", "a sum that could be written shorter")],
        _ => &[],
    };
    let any: &[Shape] = &[
        ("$F($A, $A)", "a call with the same argument twice"),
        ("$A == $A", "a comparison of something with itself"),
        ("$X = $X + $Y", "a sum that could be written shorter"),
    ];
    own.iter().chain(any).copied().collect()
}

/// Rewrites for a language.
pub(super) fn changes(language: &str) -> Vec<Change> {
    let own: &[Change] = match language {
        "rust" => &[
            ("$X.to_owned()", "ToOwned::to_owned($X)"),
            ("$A.len() == 0", "$A.is_empty()"),
            ("$X.unwrap()", "$X.expect(\"a value\")"),
            ("Some($X)", "Option::Some($X)"),
        ],
        "python" => &[
            ("self.assertEqual($A, True)", "self.assertTrue($A)"),
            ("not $A in $B", "$A not in $B"),
            ("$X = $X + $Y", "$X += $Y"),
            ("len($X) == 0", "not len($X)"),
            ("print($$$A)", "print($$$A, flush=True)"),
            ("isinstance($A, $B)", "isinstance($A, ($B,))"),
        ],
        "javascript" | "typescript" | "tsx" => {
            &[("$X = $X + $Y", "$X += $Y"), ("console.log($$$A)", "console.info($$$A)"), ("$A === $B", "$B === $A")]
        }
        "go" => &[("$A != nil", "nil != $A"), ("fmt.Println($$$A)", "log.Println($$$A)")],
        "java" => &[("$A.equals($B)", "java.util.Objects.equals($A, $B)"), ("$A != null", "null != $A")],
        "csharp" | "dart" => &[("$A != null", "null != $A")],
        "c" | "cpp" => &[("$A != NULL", "NULL != $A"), ("$A = $A + $B", "$A += $B")],
        "bash" => &[("echo $$$A", "printf '%s\\n' $$$A")],
        _ => &[],
    };
    let any: &[Change] = &[("$A == $B", "$B == $A"), ("$F($A)", "$F(($A))")];
    own.iter().chain(any).copied().collect()
}

/// A file for checkouts in which nothing of the above is found.
pub(super) const EXAMPLE: (&str, &str) = (
    "vise_tour_example.py",
    "def total(values, start):\n    sum = start\n    for value in values:\n        sum = sum + value  # a comment that stays\n    \
     return sum\n\n\ndef twice(value):\n    value = value + value\n    return value\n",
);
