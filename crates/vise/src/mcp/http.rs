//! The protocol over HTTP, for clients that start no process. It listens on this machine alone, and answers nobody who does
//! not know the token: other users and the pages of a browser can reach a loopback port too.

use std::convert::Infallible;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::service::{Service as _, service_fn};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;
use vise_tools::{ErrorKind, ToolError};

use super::server::{Server, Shared};
use crate::cli::Global;
use crate::output::Failure;

/// The only path that is answered.
const PATH: &str = "/mcp";
/// Names the token, where a client has to know it before we start.
const VARIABLE: &str = "VISE_MCP_TOKEN";
/// A shorter token could be guessed.
const SHORTEST: usize = 32;

pub(super) async fn serve(address: SocketAddr, shared: &Arc<Shared>, global: &Global) -> Result<(), Failure> {
    if !address.ip().is_loopback() {
        let error = ToolError::new(ErrorKind::Refused, format!("`{address}` can be reached from other machines"));
        return Err(error.hint("give a loopback address, `127.0.0.1:PORT`; a tunnel takes it further").into());
    }
    let token = token()?;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        ToolError::new(ErrorKind::Unavailable, format!("`{address}` cannot be listened on: {error}"))
    })?;
    let address = listener.local_addr()?;
    say(address, &token, global)?;
    let ended = shared.ended.clone();
    // Any page of a browser sends its origin, and no page is expected.
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_cancellation_token(ended.child_token())
        .with_max_request_body_bytes(16 << 20);
    let servers = shared.clone();
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(Server::new(servers.clone())), sessions, config);
    let service = Arc::new(TowerToHyperService::new(service));
    let expected: Arc<str> = format!("Bearer {token}").into();
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // One that went while it was let in, or too many at once: the next may do better.
                Err(_) => {
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = ended.cancelled() => break,
        };
        let (service, expected, ended) = (service.clone(), expected.clone(), ended.clone());
        connections.spawn(async move {
            let answer = service_fn(move |request: Request<hyper::body::Incoming>| {
                let (service, allowed) = (service.clone(), allowed(&request, &expected));
                async move {
                    match allowed {
                        Ok(()) => service.call(request).await,
                        Err(status) => Ok(refusal(status)),
                    }
                }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), answer);
            tokio::select! {
                // A client that breaks off is its own affair.
                _ = connection => {}
                () = ended.cancelled() => {}
            }
        });
    }
    connections.close();
    connections.wait().await;
    Ok(())
}

/// Whether a request may go on; what it is told if not. Host and origin are looked at behind this.
fn allowed<B>(request: &Request<B>, expected: &str) -> Result<(), StatusCode> {
    let given = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes()).unwrap_or_default();
    if !same(given, expected.as_bytes()) {
        return Err(StatusCode::UNAUTHORIZED);
    }
    if request.uri().path() == PATH { Ok(()) } else { Err(StatusCode::NOT_FOUND) }
}

/// Compares without telling by its time how much is right.
fn same(given: &[u8], expected: &[u8]) -> bool {
    let differ = given.iter().zip(expected).fold(0, |differ, (a, b)| differ | (a ^ b));
    given.len() == expected.len() && std::hint::black_box(differ) == 0
}

fn refusal(status: StatusCode) -> Response<BoxBody<Bytes, Infallible>> {
    let words = match status {
        StatusCode::UNAUTHORIZED => "the header `Authorization: Bearer TOKEN` is missing or wrong\n",
        _ => "only /mcp is here\n",
    };
    let mut response = Response::new(Full::new(Bytes::from(words)).boxed());
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
    }
    response
}

fn token() -> Result<String, ToolError> {
    if let Some(given) = std::env::var_os(VARIABLE).filter(|given| !given.is_empty()) {
        let given =
            given.to_str().filter(|given| given.len() >= SHORTEST && given.bytes().all(|b| b.is_ascii_graphic()));
        let error =
            || ToolError::bad_input(format!("`{VARIABLE}` must be {SHORTEST} visible ASCII characters or more"));
        return given.map(ToOwned::to_owned).ok_or_else(error);
    }
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).map_err(|error| {
        ToolError::new(ErrorKind::Unavailable, format!("there is no randomness for a token: {error}"))
    })?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn say(address: SocketAddr, token: &str, global: &Global) -> Result<(), Failure> {
    let url = format!("http://{address}{PATH}");
    let text = if global.json {
        json!({ "url": url, "token": token }).to_string()
    } else {
        format!("{url}\nAuthorization: Bearer {token}")
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_opens_and_only_one_path_is_there() {
        let request = |path: &str, header: Option<&str>| {
            let mut request = Request::builder().uri(path);
            if let Some(header) = header {
                request = request.header(AUTHORIZATION, header);
            }
            allowed(&request.body(()).unwrap(), "Bearer secret").map_err(|status| status.as_u16())
        };
        assert_eq!(request("/mcp", Some("Bearer secret")), Ok(()));
        assert_eq!(request("/mcp?x=1", Some("Bearer secret")), Ok(()));
        assert_eq!(request("/", Some("Bearer secret")), Err(404));
        for wrong in [None, Some(""), Some("Bearer secre"), Some("Bearer secrets"), Some("bearer secret")] {
            assert_eq!(request("/mcp", wrong), Err(401), "{wrong:?}");
        }
    }
}
