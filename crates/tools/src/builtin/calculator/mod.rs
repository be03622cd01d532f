//! `calculator`: evaluates an expression, exactly where that is possible.

mod number;
mod parse;

use async_trait::async_trait;
use ports::ToolFailure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{CallContext, Declaration, Tool};

/// The longest expression.
const EXPRESSION_CHARS_MAX: usize = 1_000;

/// Evaluates expressions.
pub(super) struct Calculator;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The expression, as in `(2 + 3) * 4`, `17% of 240` or `round(sqrt(2), 3)`.
    expression: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CalculatorOutput {
    /// The expression.
    expression: String,
    /// Its value, in decimal digits.
    value: String,
    /// Whether the value is exact rather than rounded.
    exact: bool,
}

#[async_trait]
impl Tool for Calculator {
    type Input = Input;
    type Output = CalculatorOutput;

    fn declaration(&self) -> Declaration {
        Declaration::new(
            "calculator",
            "Evaluates an arithmetic expression without mistakes. It knows + - * / ^, `17% of 240`, `17 % 5` \
             (remainder), sqrt, abs, round(x, digits), floor, ceil, min, max, ln, log(x, base), exp, sin, cos, \
             tan (radians), pi and e.",
        )
        .computes()
        .core()
    }

    async fn call(&self, input: Input, _context: &CallContext) -> Result<CalculatorOutput, ToolFailure> {
        let expression = input.expression;
        if expression.chars().count() > EXPRESSION_CHARS_MAX {
            let limit =
                format!("the expression is longer than {EXPRESSION_CHARS_MAX} characters; evaluate it in parts");
            return Err(ToolFailure::Invalid(limit));
        }
        match parse::value(&expression) {
            Ok(value) => Ok(CalculatorOutput { expression, value: value.to_string(), exact: value.is_shown_exactly() }),
            Err(mistake) => Err(ToolFailure::Invalid(format!(
                "at character {} of `{expression}`: {}",
                mistake.at + 1,
                mistake.what
            ))),
        }
    }
}
