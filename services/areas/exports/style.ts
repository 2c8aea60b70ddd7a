import { readFileSync } from 'node:fs'
import { asset } from '../../ground/assets.js'

export type Theme = 'light' | 'dark'

/** The rules without the comments, which are for readers of the file. */
const colours = readFileSync(asset('web/static/colours.css'), 'utf8').replace(/\/\*[^]*?\*\/\s*/g, '').trim()

/** Who speaks is shown by place and shape, and said to screen readers: in forced colours, the transparent border of a message shows. */
const rules = `:root {
  --measure: 45rem;
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: calc(var(--measure) + 2.5rem); background: var(--ground); color: var(--text); font: 0.9375rem/1.667 var(--font); overflow-wrap: anywhere; }
html { background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
h1, h2, h3, h4, h5, h6, p, ul, ol, dl, dd, pre, blockquote { margin: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { color: var(--text); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre, code { font-family: var(--mono); font-size: 0.875em; tab-size: 4; }
img { max-width: 100%; height: auto; border-radius: 0.375rem; }

.opening { margin-bottom: 2.5rem; padding-bottom: 1.25rem; border-bottom: 1px solid var(--line); }
.opening h1 { font-size: 1.375rem; font-weight: 600; line-height: 1.27; letter-spacing: -0.016em; text-wrap: balance; }
.opening ul { display: flex; flex-wrap: wrap; gap: 0.125rem 0.625rem; margin-top: 0.5rem; padding: 0; color: var(--quiet); font-size: 0.8125rem; list-style: none; }
.opening li:not(:last-child)::after { content: "·"; margin-left: 0.625rem; }
.notice { margin-top: 0.5rem; color: var(--quiet); font-size: 0.8125rem; }

main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.75rem; }
.row { position: relative; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; }
.row.tool { margin-top: -1.125rem; }
.row.tool + .row.tool, .row.assistant + .row.tool { margin-top: -1.25rem; }
.row.tool + .row.assistant { margin-top: -0.75rem; }
.row > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.625rem; color: var(--quiet); font-size: 0.8125rem; }
.row h2 { color: var(--text); font-size: 0.875rem; font-weight: 600; }
time, .duration { font-variant-numeric: tabular-nums; }
.row:is(.user, .assistant):not(.error) > header > h2, .tool summary h2 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.row.assistant:not(.error) > header { order: 1; }
.row > header:not(:has(> :not(h2))), .row.assistant:not(:has(> :not(header), > header > :not(h2))) { position: absolute; }
.row.user > header, .row.assistant > header { font-size: 0.75rem; }
.row.user { justify-self: end; max-width: min(90%, 38rem); padding: 0.625rem 1rem 0.75rem; border: 1px solid transparent; border-radius: 0.875rem; background: var(--tint); gap: 0.25rem; }
.row.error > .text { padding: 0.625rem 0.875rem; border: 1px solid var(--alarm); border-radius: 0.5rem; }
.row.error > .text strong, .flag { color: var(--alarm); }
.flag { font-weight: 600; }
.mark { color: var(--quiet); font-size: 0.8125rem; }
.mark.shortened { margin-top: -1rem; font-style: italic; }
.attachments { display: flex; flex-wrap: wrap; gap: 0.375rem; padding: 0; list-style: none; font-size: 0.8125rem; }
.attachments li { padding: 0.0625rem 0.5rem; border: 1px solid var(--line); border-radius: 0.375rem; background: var(--panel); }

.text.plain { white-space: pre-wrap; }
.text > * + * { margin-top: 0.75rem; }
.text > :is(h3, h4, h5, h6) { margin-top: 1.5rem; font-weight: 600; line-height: 1.3; }
.text > :is(h3, h4, h5, h6):first-child { margin-top: 0; }
.text h3 { font-size: 1.1875rem; }
.text h4 { font-size: 1.0625rem; }
.text :is(h5, h6) { font-size: 1rem; }
.text :is(ul, ol) { padding-inline-start: 1.5rem; }
.text li + li, .text li > :is(ul, ol) { margin-top: 0.25rem; }
.text li > * + * { margin-top: 0.5rem; }
.text li::marker { color: var(--quiet); }
.text blockquote { padding-inline-start: 0.875rem; border-inline-start: 3px solid var(--line); color: var(--quiet); }
.text blockquote > * + * { margin-top: 0.5rem; }
.text hr { width: 100%; margin: 1.5rem 0; border: 0; border-top: 1px solid var(--line); }
.text .formula { overflow-x: auto; padding-block: 0.25rem; text-align: center; }
math { font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", "Noto Sans Math", math; font-size: 1.06em; line-height: normal; }
.text sup { line-height: 0; font-size: 0.75em; }
.notes { margin-top: 1.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); font-size: 0.875rem; }
.notes li > p:first-child { display: inline; }
.notes :target, sup:target { outline: 2px solid var(--accent); outline-offset: 2px; }
.text code { padding: 0.0625rem 0.25rem; border-radius: 0.25rem; background: var(--tint); }
.table { overflow-x: auto; }
table { min-width: 100%; border-collapse: collapse; font-size: 0.875rem; line-height: 1.5; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
th, td { padding: 0.375rem 1rem 0.375rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
th { color: var(--quiet); font-size: 0.8125rem; font-weight: 500; vertical-align: bottom; }
td[style*=right] { white-space: nowrap; }
:is(th, td):last-child { padding-inline-end: 0; }

pre { padding: 0.75rem 0.875rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); line-height: 1.5; overflow: auto; overflow-wrap: normal; }
pre.wrapped { white-space: pre-wrap; overflow-wrap: anywhere; word-break: break-word; }
.text pre code { padding: 0; background: none; font-size: inherit; }
.block { position: relative; }
.language { position: absolute; inset: 0.25rem 0.625rem auto auto; color: var(--quiet); font-size: 0.6875rem; pointer-events: none; }
.language + pre { padding-top: 1.5rem; }

summary { width: fit-content; max-width: 100%; border-radius: 0.25rem; color: var(--quiet); font-size: 0.875rem; cursor: pointer; }
summary:hover { color: var(--text); }
details[open] > summary { margin-bottom: 0.5rem; }
.reasoning > .text { padding-inline-start: 0.875rem; border-inline-start: 2px solid var(--line); color: var(--quiet); font-size: 0.9375rem; }
.tool > details { padding: 0.4375rem 0.875rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); }
.tool summary { display: flex; align-items: baseline; gap: 0.625rem; width: 100%; font-size: 0.8125rem; list-style: none; }
.tool summary::-webkit-details-marker { display: none; }
.tool summary::before { content: "▸"; flex: none; width: 0.625rem; }
.tool [open] > summary::before { content: "▾"; }
.tool summary > * { flex: none; }
.tool .name { max-width: 50%; color: var(--text); font-weight: 600; }
.tool .preview { flex: 1 1 0; min-width: 0; overflow: hidden; font-family: var(--mono); font-size: 0.75rem; text-overflow: ellipsis; white-space: nowrap; }
.state::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; margin-right: 0.375rem; border-radius: 50%; background: var(--good); }
.failed .state { color: var(--alarm); }
.failed .state::before { background: var(--alarm); }
.tool h3, dt { margin-top: 0.625rem; color: var(--quiet); font-size: 0.75rem; font-weight: 600; }
dt { margin-top: 0.375rem; font-family: var(--mono); font-weight: 400; }
.tool pre { max-height: 32rem; margin-top: 0.25rem; padding: 0.5rem 0.75rem; background: var(--ground); font-size: 0.8125rem; }
.divider { color: var(--quiet); font-size: 0.8125rem; }
.divider > p { display: flex; align-items: center; gap: 0.75rem; text-align: center; }
.divider > p::before, .divider > p::after { content: ""; flex: 1 1 1rem; border-top: 1px solid var(--line); }
.divider summary { margin: 0.25rem auto 0; font-size: inherit; }
.divider .text { padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); font-size: 0.9375rem; }

.hljs-keyword, .hljs-selector-tag, .hljs-template-tag, .hljs-template-variable, .hljs-doctag, .hljs-deletion { color: var(--keyword); }
.hljs-title, .hljs-section, .hljs-name, .hljs-selector-id, .hljs-selector-class { color: var(--name); }
.hljs-number, .hljs-literal, .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-type, .hljs-built_in, .hljs-symbol, .hljs-meta, .hljs-bullet, .hljs-link { color: var(--number); }
.hljs-string, .hljs-regexp, .hljs-addition, .hljs-selector-attr, .hljs-selector-pseudo { color: var(--string); }
.hljs-comment, .hljs-quote, .hljs-code { color: var(--comment); }
.hljs-comment, .hljs-emphasis { font-style: italic; }
.hljs-strong, .hljs-section { font-weight: 600; }
.hljs-addition { background: var(--added); }
.hljs-deletion { background: var(--removed); }

@media (max-width: 40rem) {
  body { padding: 1.5rem 0.875rem 3rem; }
  .opening { margin-bottom: 2rem; }
  .tool summary { flex-wrap: wrap; gap: 0 0.5rem; }
  .tool .name { flex: 1 1 0; max-width: none; }
  .tool .preview { order: 1; flex-basis: 100%; }
  pre { font-size: 0.8125rem; }
}

@page { margin: 18mm 16mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; background: none; }
  html { background: none; }
  main { display: block; }
  .row, .divider { margin-bottom: 1rem; }
  .row.tool { margin-top: 0; }
  .row.user { border-color: var(--line); margin-inline-start: 10%; max-width: none; }
  pre { max-height: none !important; white-space: pre-wrap; overflow: visible; overflow-wrap: anywhere; }
  .table { overflow: visible; }
  h1, h2, h3, header { break-after: avoid; }
  img, tr, summary { break-inside: avoid; }
}`

/**
 * Returns the page's style sheet. `declarations`: CSS variables that replace its own on screens; on paper, the page stays black on white.
 */
export function pageStyle (theme: Theme | undefined, declarations: string): string {
  return [
    colours,
    theme === undefined ? '' : `:root { color-scheme: ${theme}; }`,
    rules,
    '@media print { :root { color-scheme: light; } }',
    declarations === '' ? '' : `@media screen { :root { ${declarations} } }`
  ].filter((part) => part !== '').join('\n')
}
