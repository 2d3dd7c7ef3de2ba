//! What a message is. A method makes it the server's, whatever its id: servers number their requests as we do ours.

use std::fmt;

use serde_json::{Map, Value, json};

/// A message from a server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// An answer to our request of this number.
    Response {
        id: i64,
        result: Result<Value, ResponseError>,
    },
}

/// Why a server did not do what it was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResponseError {
    /// The number that the server gave; servers agree on few of them.
    pub(crate) code: i64,
    /// Its words.
    pub(crate) message: String,
    /// What else it says.
    pub(crate) data: Value,
}

/// The document changed while the server worked on the answer.
pub(crate) const CONTENT_MODIFIED: i64 = -32801;
/// The request was called off, by whom is not said.
pub(crate) const REQUEST_CANCELLED: i64 = -32800;
/// The server called the request off.
pub(crate) const SERVER_CANCELLED: i64 = -32802;
/// There is no such method.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;

impl fmt::Display for ResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl Incoming {
    /// What a frame's body is; an error where it is no message at all.
    pub(crate) fn read(body: &[u8]) -> Result<Incoming, String> {
        let message: Value = serde_json::from_slice(body).map_err(|error| format!("a frame is no JSON: {error}"))?;
        let Value::Object(mut message) = message else { return Err("a frame is no JSON object".to_owned()) };
        let params = |message: &mut Map<String, Value>| message.remove("params").unwrap_or(Value::Null);
        if let Some(Value::String(method)) = message.remove("method") {
            let params = params(&mut message);
            return Ok(match message.remove("id") {
                Some(id) if !id.is_null() => Incoming::Request { id, method, params },
                _ => Incoming::Notification { method, params },
            });
        }
        let id = match message.get("id") {
            Some(Value::Number(id)) => id.as_i64().or_else(|| id.as_f64().map(|id| id as i64)),
            Some(Value::String(id)) => id.parse().ok(),
            _ => None,
        };
        let Some(id) = id else { return Err("an answer bears no number of ours".to_owned()) };
        let result = match message.remove("error") {
            Some(Value::Object(error)) => Err(ResponseError {
                code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
                message: match error.get("message") {
                    Some(Value::String(message)) if !message.is_empty() => message.clone(),
                    _ => "the server gave no reason".to_owned(),
                },
                data: error.get("data").cloned().unwrap_or_default(),
            }),
            _ => Ok(message.remove("result").unwrap_or_default()),
        };
        Ok(Incoming::Response { id, result })
    }
}

/// A request. Where there are no params the member is left out: servers refuse `null`.
pub(crate) fn request(id: i64, method: &str, params: &Value) -> Value {
    with_params(json!({"jsonrpc": "2.0", "id": id, "method": method}), params)
}

/// A notification, likewise.
pub(crate) fn notification(method: &str, params: &Value) -> Value {
    with_params(json!({"jsonrpc": "2.0", "method": method}), params)
}

fn with_params(mut message: Value, params: &Value) -> Value {
    if !params.is_null() {
        message["params"] = params.clone();
    }
    message
}

/// The answer to a request of the server; its id is given back as it came.
pub(crate) fn answer(id: &Value, result: Result<Value, (i64, String)>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Incoming {
        Incoming::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_method_makes_it_the_servers() {
        let message = read(r#"{"id":1,"method":"workspace/configuration","params":{}}"#);
        assert!(matches!(message, Incoming::Request { id, .. } if id == json!(1)));
        assert!(matches!(read(r#"{"id":"ts1","method":"m"}"#), Incoming::Request { id, .. } if id == json!("ts1")));
        assert!(matches!(read(r#"{"id":null,"method":"m"}"#), Incoming::Notification { .. }));
    }

    #[test]
    fn answers_of_every_shape() {
        let ok = |id, value| Incoming::Response { id, result: Ok(value) };
        assert_eq!(read(r#"{"id":3,"result":null,"error":null}"#), ok(3, Value::Null));
        assert_eq!(read(r#"{"id":"3"}"#), ok(3, Value::Null));
        assert_eq!(read(r#"{"id":3.0,"result":[]}"#), ok(3, json!([])));
        let Incoming::Response { result: Err(error), .. } = read(r#"{"id":3,"error":{"code":0}}"#) else { panic!() };
        assert_eq!(error.to_string(), "the server gave no reason (0)");
        for bad in ["[]", "{", r#"{"id":"x","result":1}"#, r#"{"result":1}"#] {
            assert!(Incoming::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn nothing_is_sent_for_no_params() {
        assert_eq!(request(1, "shutdown", &Value::Null), json!({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}));
    }
}
