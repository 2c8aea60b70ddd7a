/** The target of a link: the web, a file of the workspace, or no allowed target. */
export type Target = { kind: 'web', href: string } | { kind: 'file', path: string, line: number | null } | { kind: 'none' }

const extensions = new Set(('ts tsx js jsx mjs cjs json jsonc md mdx txt py rb go rs java kt swift c h cc cpp hpp cs php sh bash zsh fish ps1 bat sql html htm css scss less svg xml yaml yml toml ini ' +
  'env conf cfg lock log csv tsv vue svelte astro lua pl r jl ex exs erl hs ml scala clj dart zig nix tf proto graphql gradle ipynb tex pdf png jpg jpeg gif webp docx xlsx pptx').split(' '))

/** Returns an allowed web address; null for everything else that a model may write, which is shown as text. */
export function webAddress (href: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return null
  try {
    const { protocol, href: whole } = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? whole : null
  } catch {
    return null
  }
}

/** Parses text that looks like a file of the workspace, with or without a line: `routes/list.ts:12`. */
export function filePath (text: string): { path: string, line: number | null } | null {
  const found = /^((?:~?\/|\.{1,2}\/)?[\p{L}\p{N}_@.+-]+(?:\/[\p{L}\p{N}_@.+()[\]-]+)*)(?::(\d{1,7})(?::\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)?$/u.exec(text)
  const path = found?.[1]
  if (found === null || path === undefined || path.length > 500) return null
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = /[^.]\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined || !extensions.has(extension)) return null
  const line = found[2] ?? found[3]
  return { path, line: line === undefined ? null : Number(line) }
}

export function targetOf (href: string): Target {
  const web = webAddress(href)
  if (web !== null) return { kind: 'web', href: web }
  let plain = href
  try { plain = decodeURI(href) } catch {}
  const file = filePath(plain)
  return file === null ? { kind: 'none' } : { kind: 'file', ...file }
}

const pictures = new Set(['/api/file/raw', '/api/media'])

/**
 * Returns the address of an image that the service itself serves; null for others, because the author of a text must not cause other
 * requests.
 */
export function ownImage (href: string, origin: string): string | null {
  if (origin === '') return null
  try {
    const url = new URL(href, origin)
    return url.origin === origin && pictures.has(url.pathname) && /^(?:\/|https?:)/i.test(href) ? url.pathname + url.search : null
  } catch {
    return null
  }
}
