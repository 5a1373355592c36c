//! Requests: from parameters to a feature and back.

use super::Server;
use crate::document::Document;
use crate::features::{
    actions, completion, highlight, hints, hover, lenses, navigation, outline, rename,
};
use crate::verdicts::{Standing, Verdicts};
use lsp_server::Request;
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest,
    DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, Formatting, GotoDefinition,
    GotoImplementation, HoverRequest, InlayHintRequest, PrepareRenameRequest, References, Rename,
    Request as _, SelectionRangeRequest, SemanticTokensFullRequest, SemanticTokensRangeRequest,
    ShowDocument,
};
use lsp_types::{
    DocumentSymbolResponse, GotoDefinitionResponse, MessageType, SemanticTokens,
    ShowDocumentParams, TextDocumentPositionParams, TextEdit, Uri,
};
use plainsong_diagnostics::Span;
use plainsong_driver::format::{Unformatted, format};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::str::FromStr as _;

/// Why a request has no answer.
pub(super) enum Refusal {
    /// Nothing that we do.
    Unknown,
    /// Its parameters make no sense.
    Invalid(String),
    /// It cannot be done.
    Impossible(String),
}

type Answered = Result<Value, Refusal>;

fn parse<T: DeserializeOwned>(request: &Request) -> Result<T, Refusal> {
    serde_json::from_value(request.params.clone())
        .map_err(|error| Refusal::Invalid(error.to_string()))
}

fn told(value: impl Serialize) -> Answered {
    serde_json::to_value(value).map_err(|error| Refusal::Impossible(error.to_string()))
}

impl Server {
    fn document(&self, uri: &Uri) -> Result<&Document, Refusal> {
        let known = self.documents.get(uri.as_str());
        known.ok_or_else(|| Refusal::Invalid(format!("`{}` is not open", uri.as_str())))
    }

    fn place(&self, params: &TextDocumentPositionParams) -> Result<(&Document, u32), Refusal> {
        let document = self.document(&params.text_document.uri)?;
        Ok((document, document.offset(params.position)))
    }

    fn verdicts(&self, uri: &Uri) -> Option<&Verdicts> {
        self.verdicts.get(uri.as_str())
    }

    pub(super) fn request(&mut self, request: &Request) -> Answered {
        match request.method.as_str() {
            HoverRequest::METHOD => {
                let params: lsp_types::HoverParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position_params)?;
                let verdicts = self.verdicts(&document.uri);
                told(hover::hover(document, offset, |property| {
                    let standing = verdicts?.standing(property, document);
                    let Standing::Told { .. } = standing else {
                        return None;
                    };
                    Some(lenses::title(document, property, standing))
                }))
            }
            GotoDefinition::METHOD => {
                let params: lsp_types::GotoDefinitionParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position_params)?;
                let found = navigation::definition(document, offset);
                told(GotoDefinitionResponse::Array(found))
            }
            GotoImplementation::METHOD => {
                let params: lsp_types::GotoDefinitionParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position_params)?;
                let found = navigation::implementation(document, offset);
                told(GotoDefinitionResponse::Array(found))
            }
            References::METHOD => {
                let params: lsp_types::ReferenceParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position)?;
                let declaration = params.context.include_declaration;
                told(navigation::references(document, offset, declaration))
            }
            DocumentHighlightRequest::METHOD => {
                let params: lsp_types::DocumentHighlightParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position_params)?;
                told(navigation::highlights(document, offset))
            }
            PrepareRenameRequest::METHOD => {
                let params: TextDocumentPositionParams = parse(request)?;
                let (document, offset) = self.place(&params)?;
                told(rename::prepare(document, offset))
            }
            Rename::METHOD => {
                let params: lsp_types::RenameParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position)?;
                let edit = rename::rename(document, offset, &params.new_name);
                told(edit.map_err(Refusal::Impossible)?)
            }
            Completion::METHOD => {
                let params: lsp_types::CompletionParams = parse(request)?;
                let (document, offset) = self.place(&params.text_document_position)?;
                told(completion::completions(document, offset))
            }
            DocumentSymbolRequest::METHOD => {
                let params: lsp_types::DocumentSymbolParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                told(DocumentSymbolResponse::Nested(outline::symbols(document)))
            }
            FoldingRangeRequest::METHOD => {
                let params: lsp_types::FoldingRangeParams = parse(request)?;
                told(outline::folds(self.document(&params.text_document.uri)?))
            }
            SelectionRangeRequest::METHOD => {
                let params: lsp_types::SelectionRangeParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                told(outline::selections(document, &params.positions))
            }
            _ => self.request_about_text(request),
        }
    }

    fn request_about_text(&mut self, request: &Request) -> Answered {
        match request.method.as_str() {
            SemanticTokensFullRequest::METHOD => {
                let params: lsp_types::SemanticTokensParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                told(SemanticTokens {
                    result_id: None,
                    data: highlight::tokens(document, None),
                })
            }
            SemanticTokensRangeRequest::METHOD => {
                let params: lsp_types::SemanticTokensRangeParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                let span = document.lines().span(document.text(), params.range);
                told(SemanticTokens {
                    result_id: None,
                    data: highlight::tokens(document, Some(span)),
                })
            }
            InlayHintRequest::METHOD => {
                let params: lsp_types::InlayHintParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                let span = document.lines().span(document.text(), params.range);
                told(hints::hints(document, span))
            }
            CodeActionRequest::METHOD => {
                let params: lsp_types::CodeActionParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                let only = params.context.only.as_deref();
                told(actions::actions(document, params.range, only))
            }
            CodeLensRequest::METHOD => {
                let params: lsp_types::CodeLensParams = parse(request)?;
                let document = self.document(&params.text_document.uri)?;
                let none = Verdicts::default();
                let verdicts = self.verdicts(&document.uri).unwrap_or(&none);
                told(lenses::lenses(document, verdicts))
            }
            Formatting::METHOD => {
                let params: lsp_types::DocumentFormattingParams = parse(request)?;
                told(formatted(self.document(&params.text_document.uri)?)?)
            }
            ExecuteCommand::METHOD => {
                let params: lsp_types::ExecuteCommandParams = parse(request)?;
                self.command(&params.command, &params.arguments)
            }
            _ => Err(Refusal::Unknown),
        }
    }

    fn command(&mut self, command: &str, arguments: &[Value]) -> Answered {
        let text = |at: usize| arguments.get(at).and_then(Value::as_str);
        let uri = text(0).and_then(|uri| Uri::from_str(uri).ok());
        let uri = uri.ok_or_else(|| Refusal::Invalid("which document?".to_owned()))?;
        self.document(&uri)?;
        let property = text(1).map(str::to_owned);
        match command {
            lenses::CHECK | lenses::PROVE => {
                let properties = property.into_iter().collect();
                self.check(&uri, properties, command == lenses::PROVE);
                Ok(Value::Null)
            }
            lenses::CANCEL => {
                if let Some(verdicts) = self.verdicts.get_mut(uri.as_str()) {
                    verdicts.interrupt();
                }
                self.changed.push(uri);
                self.refresh();
                Ok(Value::Null)
            }
            lenses::SHOW => {
                let property =
                    property.ok_or_else(|| Refusal::Invalid("which property?".to_owned()))?;
                self.show(&uri, &property)
            }
            _ => Err(Refusal::Invalid(format!("there is no command `{command}`"))),
        }
    }

    /// Shows the execution that refutes a property: in the client, or as a file in a browser.
    fn show(&mut self, uri: &Uri, property: &str) -> Answered {
        let told = self
            .verdicts(uri)
            .and_then(|verdicts| verdicts.told(property));
        let shown = told.and_then(|told| Some((told.page.clone()?, told.text.clone())));
        let Some((page, text)) = shown else {
            let why = format!("no execution that refutes `{property}` is known");
            return Err(Refusal::Impossible(why));
        };
        if self.options.pages {
            let params = json!({ "uri": uri.as_str(), "property": property, "html": page });
            self.notify("plainsong/page", params);
        } else {
            let name = format!("plainsong-{}-{property}.html", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, &page).map_err(|error| Refusal::Impossible(error.to_string()))?;
            let address = Uri::from_str(&format!("file://{}", path.display()));
            match address {
                Ok(uri) if self.shows_documents => {
                    let params = ShowDocumentParams {
                        uri,
                        external: Some(true),
                        take_focus: None,
                        selection: None,
                    };
                    self.ask(ShowDocument::METHOD, json!(params));
                }
                _ => self.say(
                    MessageType::INFO,
                    format!("the execution is shown in {}", path.display()),
                ),
            }
            self.written.push(path);
        }
        Ok(json!({ "text": text }))
    }
}

fn formatted(document: &Document) -> Result<Option<Vec<TextEdit>>, Refusal> {
    match format(&document.source()) {
        Ok(text) if text == document.text() => Ok(Some(Vec::new())),
        Ok(text) => {
            let whole = Span::new(0, document.text().len() as u32);
            Ok(Some(vec![TextEdit {
                range: document.range(whole),
                new_text: text,
            }]))
        }
        // It waits until the mistakes are mended, which are shown anyway.
        Err(Unformatted::Mistakes(_)) => Ok(None),
        Err(Unformatted::Bug(crash)) => Err(Refusal::Impossible(crash.message)),
    }
}
