//! `plainsong/step`, answered on a thread of its own: a state may have many steps, and editing does not wait for them.

use super::Server;
use crate::features::stepping::{StepParams, stepped};
use lsp_server::{ErrorCode, Message, Request, Response};
use plainsong_driver::contain::contained;

/// Songs may nest deeply; the same stack as that of the command.
const STACK: usize = 256 * 1024 * 1024;

impl Server {
    /// Answers when it is done.
    pub(super) fn step(&self, request: Request) {
        let refuse = |code: ErrorCode, text: String| {
            let id = request.id.clone();
            self.send(Message::Response(Response::new_err(id, code as i32, text)));
        };
        let params: StepParams = match serde_json::from_value(request.params.clone()) {
            Ok(params) => params,
            Err(error) => return refuse(ErrorCode::InvalidParams, error.to_string()),
        };
        let uri = params.text_document.uri.as_str();
        let Some(document) = self.documents.get(uri) else {
            return refuse(ErrorCode::InvalidParams, format!("`{uri}` is not open"));
        };
        let source = document.source();
        let verdicts = self.verdicts.get(uri);
        let refuting = params.refuting.as_deref();
        let told = refuting.and_then(|property| verdicts?.told(property).cloned());
        let (id, sender) = (request.id.clone(), self.sender.clone());
        let work = move || {
            let failed = ErrorCode::RequestFailed as i32;
            let response = match contained(|| stepped(&params, &source, told.as_ref())) {
                Ok(Ok(answer)) => Response::new_ok(id, answer),
                Ok(Err(why)) => Response::new_err(id, failed, why),
                Err(crash) => {
                    let text = format!("this is a bug of plainsong: {}", crash.message);
                    Response::new_err(id, ErrorCode::InternalError as i32, text)
                }
            };
            // Nobody to tell when the client is gone.
            let _ = sender.send(Message::Response(response));
        };
        let builder = std::thread::Builder::new().stack_size(STACK);
        if let Err(error) = builder.spawn(work) {
            refuse(ErrorCode::InternalError, error.to_string());
        }
    }
}
