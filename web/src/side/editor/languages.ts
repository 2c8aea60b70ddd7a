import { defineLanguageFacet, Language, LanguageSupport, StreamLanguage, type StreamParser } from '@codemirror/language'
import { baseName } from '../../core/files/paths.js'

type Load = () => Promise<LanguageSupport>

const legacy = (load: () => Promise<StreamParser<unknown>>): Load => async () => new LanguageSupport(StreamLanguage.define(await load()))
const clike = (name: 'c' | 'cpp' | 'csharp' | 'java' | 'kotlin' | 'scala' | 'dart'): Load =>
  legacy(async () => (await import('@codemirror/legacy-modes/mode/clike'))[name])
const script = (config: { jsx?: boolean, typescript?: boolean }): Load =>
  async () => (await import('@codemirror/lang-javascript')).javascript(config)
const shell = legacy(async () => (await import('@codemirror/legacy-modes/mode/shell')).shell)
const properties = legacy(async () => (await import('@codemirror/legacy-modes/mode/properties')).properties)
/** Markdown without the languages of embedded code and HTML, which would be most of its size. */
const markdown: Load = async () => {
  const { GFM, parser } = await import('@lezer/markdown')
  return new LanguageSupport(new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown'))
}
const json = legacy(async () => (await import('@codemirror/legacy-modes/mode/javascript')).json)

/** Each language is loaded with the first text that uses it. */
const languages: ReadonlyArray<[RegExp, Load]> = [
  [/\.(?:js|mjs|cjs)$/, script({})],
  [/\.jsx$/, script({ jsx: true })],
  [/\.(?:ts|mts|cts)$/, script({ typescript: true })],
  [/\.tsx$/, script({ jsx: true, typescript: true })],
  [/\.(?:html?|vue|svelte)$/, async () => (await import('@codemirror/lang-html')).html()],
  [/\.(?:css|scss|less)$/, async () => (await import('@codemirror/lang-css')).css()],
  [/\.(?:md|markdown|mdown)$/, markdown],
  [/\.(?:json5?|jsonc|ipynb|webmanifest)$/, json],
  [/\.pyi?$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/python')).python)],
  [/\.(?:ya?ml)$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml)],
  [/\.toml$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/toml')).toml)],
  [/\.(?:xml|svg|plist|xsl)$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/xml')).xml)],
  [/\.(?:sh|bash|zsh)$|^\.(?:bashrc|zshrc|profile)$/, shell],
  [/\.rs$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/rust')).rust)],
  [/\.go$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/go')).go)],
  [/\.rb$|^(?:gemfile|rakefile)$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby)],
  [/\.sql$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL)],
  [/\.swift$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/swift')).swift)],
  [/\.lua$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/lua')).lua)],
  [/\.(?:ps1|psm1)$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell)],
  [/\.(?:diff|patch)$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/diff')).diff)],
  [/^dockerfile|\.dockerfile$/, legacy(async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile)],
  [/\.(?:c|h)$/, clike('c')],
  [/\.(?:cc|cpp|cxx|hpp|hh)$/, clike('cpp')],
  [/\.cs$/, clike('csharp')],
  [/\.java$/, clike('java')],
  [/\.kts?$/, clike('kotlin')],
  [/\.scala$/, clike('scala')],
  [/\.dart$/, clike('dart')],
  [/\.(?:ini|conf|cfg|properties|env|editorconfig)$|^\.env/, properties]
]

/** Loads the language of a file, by its name; null if it has none, or loading fails: texts are readable without colours. */
export async function languageOf (path: string): Promise<LanguageSupport | null> {
  const name = baseName(path).toLowerCase()
  const load = languages.find(([names]) => names.test(name))?.[1]
  return await load?.().catch(() => null) ?? null
}
