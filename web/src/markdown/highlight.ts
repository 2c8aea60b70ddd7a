import hljs from 'highlight.js/lib/core'
import { type LanguageFn } from 'highlight.js'

/** Each language is a chunk of its own, loaded with the first code that uses it. */
const languages: Record<string, () => Promise<{ default: LanguageFn }>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml')
}

const otherNames: Record<string, string> = {
  sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', 'c++': 'cpp', h: 'c', hpp: 'cpp', cc: 'cpp', cs: 'csharp', 'c#': 'csharp',
  patch: 'diff', docker: 'dockerfile', golang: 'go', toml: 'ini', conf: 'ini',
  js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', jsonc: 'json', json5: 'json', kt: 'kotlin', make: 'makefile',
  md: 'markdown', ps1: 'powershell', py: 'python', rb: 'ruby', rs: 'rust',
  ts: 'typescript', tsx: 'typescript', mts: 'typescript', html: 'xml', svg: 'xml', vue: 'xml', yml: 'yaml', postgresql: 'sql',
  sqlite: 'sql', mysql: 'sql'
}

/** Longer code takes too long and gets no colours. */
const maxHighlighted = 40_000

/** A piece of code with its scope, such as `string`; plain text has no colour. */
export type Coloured = string | { scope: string | undefined, children: Coloured[] }

/** Highlights code; null if its language is unknown or it is too long. Throws if the language cannot be loaded. */
export async function highlight (code: string, language: string): Promise<Coloured[] | null> {
  const asked = language.toLowerCase()
  const name = otherNames[asked] ?? asked
  const load = Object.hasOwn(languages, name) ? languages[name] : undefined
  if (code.length > maxHighlighted || load === undefined) return null
  if (hljs.getLanguage(name) === undefined) hljs.registerLanguage(name, (await load()).default)
  const { _emitter: emitter } = hljs.highlight(code, { language: name, ignoreIllegals: true })
  return (emitter as unknown as { rootNode: { children: Coloured[] } }).rootNode.children.map(plain)
}

/** Returns a plain copy, without the highlighter's internal data, that can be posted. */
function plain (part: Coloured): Coloured {
  // The sub-scope, such as `title.function`, makes no visible difference.
  return typeof part === 'string' ? part : { scope: part.scope?.replace(/\..*|[^\w-]/g, ''), children: part.children.map(plain) }
}
