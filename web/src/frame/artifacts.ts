import { Blocks, codeOf } from '../markdown/blocks.js'

export type ArtifactKind = 'diagram' | 'picture' | 'page'

export interface ArtifactProps {
  kind: ArtifactKind
  code: string
  language: string
}

/** The kinds of artifacts, by the language named after a fence. */
const kinds: Readonly<Record<string, ArtifactKind>> = { mermaid: 'diagram', mmd: 'diagram', svg: 'picture', html: 'page', htm: 'page' }

/** Returns how code of a language can be drawn; null: it is shown only as code. */
export const artifactKind = (language: string): ArtifactKind | null => {
  const name = language.toLowerCase()
  return Object.hasOwn(kinds, name) ? kinds[name] ?? null : null
}

const mostTitleChars = 120
const titles: Readonly<Record<ArtifactKind, readonly RegExp[]>> = {
  diagram: [/^[ \t]*accTitle:(.+)$/im, /^[ \t]*title[ :](.+)$/im],
  picture: [/<title[^>]*>([^<]+)<\/title>/i],
  page: [/<title[^>]*>([^<]+)<\/title>/i, /<h1[^>]*>([^<]+)<\/h1>/i]
}

/** Returns the title in the code; null if it has none. */
export function titleOf (kind: ArtifactKind, code: string): string | null {
  const head = code.slice(0, 20_000)
  for (const pattern of titles[kind]) {
    const found = pattern.exec(head)?.[1]?.trim().replace(/^["']|["']$/g, '')
    if (found !== undefined && found !== '') return found.slice(0, mostTitleChars)
  }
  return null
}

const mostVersions = 30

/**
 * Returns the versions of an artifact in the texts of a conversation, the oldest first: all artifacts of its kind with its title. An
 * artifact without a title has no other versions.
 */
export function versionsOf (kind: ArtifactKind, code: string, texts: Iterable<string>): string[] {
  const title = titleOf(kind, code)
  const found = title === null
    ? []
    : [...texts].flatMap(codesIn).filter((one) => one.kind === kind && titleOf(kind, one.code) === title).map((one) => one.code)
  const others = [...new Set(found)]
  return (others.includes(code) ? others : [...others, code]).slice(-mostVersions)
}

function codesIn (text: string): Array<{ kind: ArtifactKind, code: string }> {
  if (!/^ {0,3}(?:```|~~~)/m.test(text)) return []
  return new Blocks().update(text, true).flatMap((block) => {
    if (block.kind !== 'code') return []
    const { language, code } = codeOf(block.text)
    const kind = artifactKind(language)
    return kind === null ? [] : [{ kind, code }]
  })
}
