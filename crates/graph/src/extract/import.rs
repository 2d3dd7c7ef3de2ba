//! Imports, exports and packages.

use super::build::{EMPTY, UNKNOWN};
use super::define::{all, one, value_of};
use super::matching::NONE;
use super::text::compact;
use super::walk::{Frame, Given, Walk};
use crate::facts::{Export, Expr, Import, Imported, NameId, SymbolIx, flag};
use crate::rules::{Part, Pattern, Role, Settings, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// Ends an import: a row for each name.
    pub(super) fn end_import(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) {
        let settings = &pattern.settings;
        let around = self.around(self.frames.len() as u32 - 1);
        let group = self.group();
        let mut own = self.constant(settings, Part::Source).or_else(|| self.joined(given, Part::Source));
        let all_of_it = settings.has(set::ALL | set::PART) || one(given, Part::All).is_some();
        let mut names: Vec<NameId> = self.texts(settings, given, Part::Name);
        let locals: Vec<NameId> = self.texts(settings, given, Part::Local);
        if own.is_none() && names.is_empty() && !all_of_it {
            let text = super::text::plain(self.m.text(frame.node), Part::Source);
            if group.is_none() || settings.has(set::PATH) {
                own = Some(compact(text));
            } else if !settings.has(set::MODULE) {
                names.push(self.b.name(text));
            }
        }
        let Some(source) = self.source_of(settings, group, own.as_deref()) else { return };
        let source_id = self.b.name(&source);
        let line = one(given, Part::Name).or(one(given, Part::Source)).map(|given| given.value.line);
        let line = line.unwrap_or_else(|| self.line(frame.node));
        let mut import = self.b.blank_import(source_id, line);
        import.exported =
            (settings.flags | around.flags | self.group_flags() | self.modifiers(given)) & flag::EXPORTED != 0;
        let last = |walk: &Self, source: &[u8]| walk.last_part(source).to_vec();
        if all_of_it {
            import.what = Imported::All;
            self.b.import(import, false);
        } else if settings.has(set::EFFECTS) {
            self.b.import(import, false);
        } else if settings.has(set::FIRST_PART) && locals.is_empty() {
            let first = self.parts(&source).next().unwrap_or_default().to_vec();
            import.what = Imported::FirstPart;
            import.local = Some(self.b.name(&first));
            self.b.import(import, true);
        } else if settings.has(set::MODULE) || settings.has(set::FIRST_PART) || settings.has(set::PATH) {
            import.what = if settings.has(set::PATH) { Imported::Path } else { Imported::Module };
            let part = last(self, &source);
            let local = match locals.first() {
                Some(local) => *local,
                None => self.b.name(&part),
            };
            import.local = Some(local).filter(|local| !matches!(self.b.names.text(*local), "_" | ""));
            self.b.import(import, true);
        } else if names.is_empty() {
            // A module without anything said about it is named as a whole.
            import.what = Imported::Module;
            let part = last(self, &source);
            import.local = Some(locals.first().copied().unwrap_or_else(|| self.b.name(&part)));
            self.b.import(import, true);
        } else {
            for (number, name) in names.iter().enumerate() {
                let local = locals.get(number).copied().unwrap_or(*name);
                let import = Import { what: Imported::Name(*name), local: Some(local), ..import.clone() };
                self.b.import(import, true);
            }
        }
    }

    /// What groups of imports that are open around say of what is in them: `pub` of the whole `use`.
    fn group_flags(&self) -> u32 {
        let mut flags = 0;
        for (at, frame) in self.frames.iter().enumerate() {
            if let Some(pattern) = frame.pattern.filter(|pattern| pattern.role == Role::ImportGroup) {
                let given: Vec<Given> = self.given_to(at as u32).copied().collect();
                flags |= pattern.settings.flags | self.modifiers(&given);
            }
        }
        flags
    }

    /// The source of the groups of imports around, if there are any: their own sources, one behind the other.
    fn group(&self) -> Option<Vec<u8>> {
        let mut source: Option<Vec<u8>> = None;
        for (at, frame) in self.frames.iter().enumerate() {
            let Some(pattern) = frame.pattern.filter(|pattern| pattern.role == Role::ImportGroup) else { continue };
            let source = source.get_or_insert_with(Vec::new);
            let given: Vec<Given> = self.given_to(at as u32).copied().collect();
            let own = self.constant(&pattern.settings, Part::Source).or_else(|| self.joined(&given, Part::Source));
            if let Some(own) = own {
                self.append(source, &own);
            }
        }
        source
    }

    /// The whole source of an import.
    fn source_of(&self, settings: &Settings, group: Option<Vec<u8>>, own: Option<&[u8]>) -> Option<Vec<u8>> {
        let prefix = settings.prefix.as_deref().unwrap_or_default().as_bytes();
        match (group, own) {
            (Some(mut source), Some(own)) => {
                self.append(&mut source, own);
                Some([prefix, &source].concat())
            }
            (Some(source), None) => Some([prefix, &source].concat()),
            (None, Some(own)) => Some([prefix, own].concat()),
            (None, None) => None,
        }
    }

    fn append(&self, source: &mut Vec<u8>, more: &[u8]) {
        if !source.is_empty() && !more.is_empty() {
            source.extend(self.separator().as_bytes());
        }
        source.extend(more);
    }

    fn separator(&self) -> &str {
        self.rules.words.path_separators.first().map_or(".", String::as_str)
    }

    /// The parts of a source.
    fn parts<'a>(&self, source: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let separator = self.separator().as_bytes().to_vec();
        let mut rest = Some(source);
        std::iter::from_fn(move || {
            let text = rest?;
            let at = text.windows(separator.len().max(1)).position(|window| window == separator);
            let (part, more) = at.map_or((text, None), |at| (&text[..at], Some(&text[at + separator.len()..])));
            rest = more;
            Some(part)
        })
    }

    /// The name that a source has by itself: its last part that is no version.
    fn last_part<'a>(&self, source: &'a [u8]) -> &'a [u8] {
        let parts: Vec<&[u8]> = self.parts(source).filter(|part| !part.is_empty()).collect();
        let is_version = |part: &[u8]| part.len() > 1 && part[0] == b'v' && part[1..].iter().all(u8::is_ascii_digit);
        let last = match parts[..] {
            [.., before, last] if is_version(last) && self.separator() == "/" => before,
            [.., last] => last,
            [] => source,
        };
        // `yaml.v3` is yaml.
        let dot = last.iter().rposition(|byte| *byte == b'.');
        dot.filter(|dot| self.separator() == "/" && is_version(&last[dot + 1..])).map_or(last, |dot| &last[..dot])
    }

    fn constant(&self, settings: &Settings, part: Part) -> Option<Vec<u8>> {
        let found = settings.constants.iter().find(|(known, _)| *known == part);
        found.map(|(_, text)| text.as_bytes().to_vec())
    }

    /// The texts of a part, several joined with the language's separator.
    fn joined(&self, given: &[Given], part: Part) -> Option<Vec<u8>> {
        let mut joined: Option<Vec<u8>> = None;
        for text in all(given, part).filter_map(|given| given.text) {
            let text = compact(self.b.names.text(text).as_bytes());
            match &mut joined {
                Some(joined) => self.append(joined, &text),
                None => joined = Some(text),
            }
        }
        joined
    }

    fn texts(&mut self, settings: &Settings, given: &[Given], part: Part) -> Vec<NameId> {
        match self.constant(settings, part) {
            Some(text) => vec![self.b.name(&text)],
            None => all(given, part).filter_map(|given| given.text).collect(),
        }
    }

    /// Ends an export: of a name or value of this file, or of what another file offers.
    pub(super) fn end_export(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) {
        let settings = &pattern.settings;
        let local = self.texts(settings, given, Part::Local).first().copied();
        let mut name = self.texts(settings, given, Part::Name).first().copied();
        if settings.has(set::DEFAULT) {
            name = Some(self.b.name(b"default"));
        }
        let own = self.constant(settings, Part::Source).or_else(|| self.joined(given, Part::Source));
        let group = self.group().filter(|source| !source.is_empty());
        if let Some(source) = self.source_of(settings, group, own.as_deref()) {
            let source = self.b.name(&source);
            let line = self.line(frame.node);
            let mut import = self.b.blank_import(source, line);
            import.exported = true;
            import.what = match (local.or(name), settings.has(set::ALL | set::PART) || one(given, Part::All).is_some())
            {
                (_, true) => Imported::All,
                _ if settings.has(set::MODULE) => Imported::Module,
                (Some(outside), _) => Imported::Name(outside),
                (None, _) => Imported::All,
            };
            import.local = if import.what == Imported::All { None } else { name.or(local) };
            return self.b.import(import, false);
        }
        let value = value_of(given, Part::Value).map(|value| value.expr);
        let scope = self.b.at.scope;
        let value = match (value, local) {
            (Some(value), _) => value,
            (None, Some(name)) => self.b.expr(Expr::Name { scope, name }),
            (None, None) => return,
        };
        let Some(name) = name.or(local).or_else(|| self.name_of(value)) else { return };
        if let Some(local) = local.or_else(|| self.name_of(value)) {
            self.b.exported.push((local, settings.has(set::DEFAULT)));
        }
        self.b.facts.exports.push(Export { name, value });
    }

    fn name_of(&self, value: crate::facts::ExprId) -> Option<NameId> {
        match self.b.facts.exprs[value.ix()] {
            Expr::Name { name, .. } => Some(name),
            Expr::Symbol(ix) => Some(self.b.facts.symbols[ix.ix()].name).filter(|name| *name != EMPTY),
            _ => None,
        }
    }

    /// A definition that is an export too.
    pub(super) fn export_definition(&mut self, pattern: &Pattern, ix: SymbolIx, name: NameId) {
        let flags = self.b.facts.symbols[ix.ix()].flags;
        let name = match &pattern.settings.export {
            Some(text) if text.is_empty() => name,
            Some(text) => self.b.name(text.as_bytes()),
            None if flags & flag::DEFAULT_EXPORT != 0 => self.b.name(b"default"),
            None => return,
        };
        let value = self.b.expr(Expr::Symbol(ix));
        self.b.facts.symbols[ix.ix()].flags |= flag::EXPORTED;
        self.b.facts.exports.push(Export { name, value });
    }

    /// Ends the declaration of the file's package; several nest.
    pub(super) fn end_package(&mut self, frame: &Frame<'d, 'r>, given: &[Given]) {
        let text = self.joined(given, Part::Name).unwrap_or_else(|| compact(self.m.text(frame.node)));
        let mut whole =
            self.b.facts.package.map_or_else(Vec::new, |known| self.b.names.text(known).as_bytes().to_vec());
        self.append(&mut whole, &text);
        self.b.facts.package = Some(self.b.name(&whole));
    }

    /// Ends a module that is named as a value: the file depends on it.
    pub(super) fn end_module(&mut self, frame: &Frame<'d, 'r>, given: &[Given]) -> Option<super::walk::Value> {
        let source = self.joined(given, Part::Source)?;
        let source = self.b.name(&source);
        let expr = self.b.expr(Expr::Module { source });
        let line = self.line(frame.node);
        let import = self.b.blank_import(source, line);
        self.last_module = Some((expr, self.b.facts.imports.len()));
        self.b.import(import, false);
        Some(super::walk::Value { site: NONE, ..super::walk::Value::new(expr, line, frame.node.start() as u32) })
    }

    /// `UNKNOWN` for nothing.
    pub(super) fn or_unknown(value: Option<super::walk::Value>) -> crate::facts::ExprId {
        value.map_or(UNKNOWN, |value| value.expr)
    }
}
