import { isUtf8 } from 'node:buffer'
import mime from 'mime'

/** How much of a file's beginning tells what it is. */
export const sniffBytes = 16 * 1024

/** Containers whose content is told apart by the ending, and what may be in them. */
const containers: Record<string, RegExp> = {
  'application/zip': /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$|java-archive$|vnd\.android\.package-archive$)/,
  'application/x-cfb': /^application\/(?:msword|vnd\.ms-(?:excel|powerpoint|outlook))$/,
  'application/xml': /[/+]xml$|^text\/html$/
}
const textual = /^text\/|[/+](?:json|xml|yaml|toml|sql|javascript|typescript|x-sh|x-httpd-php|graphql|rtf|x-ndjson)$/

/**
 * The media type of a file by its first bytes. Its name decides only between types that look the same, such as the
 * kinds of text; what somebody calls a picture and is none is none.
 */
export async function sniffedType (head: Buffer, name: string): Promise<string> {
  const byName = mime.getType(name)
  // Not at the start of the service, which has no need of it.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
  if (found !== undefined) return byName !== null && containers[found]?.test(byName) === true ? byName : found
  if (head.length === 0) return byName !== null && textual.test(byName) ? byName : 'application/octet-stream'
  if (!isTextStart(head)) return 'application/octet-stream'
  if (byName === 'image/svg+xml') return /<svg[\s>]/i.test(head.toString('latin1')) ? byName : 'text/plain'
  // Endings mean more than one thing: what is no markup is none, whatever else ends so.
  if (byName?.endsWith('xml') === true && !/^(?:\u00ef\u00bb\u00bf)?\s*</.test(head.toString('latin1'))) return 'text/plain'
  return byName !== null && textual.test(byName) ? byName : 'text/plain'
}

/** Whether models and browsers can be shown it as a picture. Drawings in SVG are programs as much as pictures. */
export const isImage = (type: string): boolean => type.startsWith('image/') && type !== 'image/svg+xml'

function isTextStart (head: Buffer): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true
  if (head.includes(0)) return false
  // The last character may be cut in two.
  for (let cut = 0; cut < 4; cut++) if (isUtf8(head.subarray(0, head.length - cut))) return true
  return false
}
