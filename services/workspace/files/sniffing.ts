import { isUtf8 } from 'node:buffer'
import mime from 'mime'

/** How many bytes at the beginning of a file are used to detect its type. */
export const sniffBytes = 16 * 1024

/** Container formats with the types that they may contain, which are distinguished by the extension. */
const containers: Record<string, RegExp> = {
  'application/zip': /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$|java-archive$|vnd\.android\.package-archive$)/,
  'application/x-cfb': /^application\/(?:msword|vnd\.ms-(?:excel|powerpoint|outlook))$/,
  'application/xml': /[/+]xml$|^text\/html$/
}
const textual = /^text\/|[/+](?:json|xml|yaml|toml|sql|javascript|typescript|x-sh|x-httpd-php|graphql|rtf|x-ndjson)$/

/**
 * Detects the media type of a file by its first bytes. The name decides only between types that look the same, such as
 * kinds of text: a file that is merely named like an image is not one.
 */
export async function sniffedType (head: Buffer, name: string): Promise<string> {
  const byName = mime.getType(name)
  // Loaded here, because the service does not need it to start.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
  if (found !== undefined) return byName !== null && containers[found]?.test(byName) === true ? byName : found
  if (head.length === 0) return byName !== null && textual.test(byName) ? byName : 'application/octet-stream'
  if (!isTextStart(head)) return 'application/octet-stream'
  if (byName === 'image/svg+xml') return /<svg[\s>]/i.test(head.toString('latin1')) ? byName : 'text/plain'
  // Extensions are ambiguous: a file that does not begin like markup is not XML.
  if (byName?.endsWith('xml') === true && !/^(?:\u00ef\u00bb\u00bf)?\s*</.test(head.toString('latin1'))) return 'text/plain'
  return byName !== null && textual.test(byName) ? byName : 'text/plain'
}

/** Whether the type can be shown to models and browsers as an image. SVG is excluded, because it can contain scripts. */
export const isImage = (type: string): boolean => type.startsWith('image/') && type !== 'image/svg+xml'

function isTextStart (head: Buffer): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true
  if (head.includes(0)) return false
  // The last character may be cut off.
  for (let cut = 0; cut < 4; cut++) if (isUtf8(head.subarray(0, head.length - cut))) return true
  return false
}
