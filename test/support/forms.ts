import { type Answer } from './app.js'

export interface Part {
  name: string
  content: string | Uint8Array
  /** Makes the part a file. */
  filename?: string
  type?: string
}

export const boundary = '----a-form-of-a-test'

/** Returns the bytes of a form as a native client sends it: `session_id` and other fields first, in the given order. */
export function formBytes (parts: Part[], { end = true }: { end?: boolean } = {}): Buffer {
  const chunks: Buffer[] = []
  for (const { name, content, filename, type } of parts) {
    const fileName = filename === undefined ? '' : `; filename="${filename.replace(/["\r\n]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}"`
    const contentType = filename === undefined && type === undefined ? '' : `Content-Type: ${type ?? 'application/octet-stream'}\r\n`
    chunks.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\n${contentType}\r\n`), Buffer.from(content), Buffer.from('\r\n'))
  }
  if (end) chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return Buffer.concat(chunks)
}

export const formType = `multipart/form-data; boundary=${boundary}`

/** Sends a form to a route of a running service. */
export async function sendForm (url: string, parts: Part[], headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': formType, ...headers }, body: new Uint8Array(formBytes(parts)) })
  const text = await response.text()
  let body: unknown = null
  try {
    body = JSON.parse(text)
  } catch {}
  return { status: response.status, headers: response.headers, body, text }
}
