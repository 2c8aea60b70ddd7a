import mime from 'mime'

/** What a browser does with a file of a type. */
export type MediaKind = 'image' | 'audio' | 'video' | 'pdf' | 'html' | 'other'

/** Source code that the extension's registered type would make something else of, or something that a page can run. */
const plainText = /\.(?:[cm]?tsx?|[cm]?jsx?|css)$/i
/** Types that are text although they are not called so. */
const textual = /^(?:application\/(?:json5?|manifest\+json|ld\+json|xml|toml|sql|x-sh|x-httpd-php|graphql)|.*\+(?:json|xml))$/
/** What a browser shows as a document of the address it came from, with whatever scripts are in it. */
const active = /^(?:text\/html|text\/xml|text\/xsl|text\/cache-manifest|application\/xml.*|multipart\/.*|message\/.*|.*\+xml)$|\bx-mixed-replace\b/

/** Media type by the extension. JavaScript and stylesheets are plain text: a file of a workspace is to be read, not to be run. */
export function typeOf (name: string): string {
  return plainText.test(name) ? 'text/plain' : mime.getType(name) ?? 'application/octet-stream'
}

/** The type as a `Content-Type`. Text is taken for UTF-8. */
export function contentType (type: string): string {
  return type.startsWith('text/') || textual.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether opening it in a browser could run or load something: HTML, XHTML, SVG and XML of any kind. */
export const isActive = (type: string): boolean => active.test(type)

export const isHtml = (type: string): boolean => type === 'text/html' || type === 'application/xhtml+xml'

/** SVG is no image here: it can hold scripts. */
export function mediaKind (type: string): MediaKind {
  if (isHtml(type)) return 'html'
  if (type === 'application/pdf') return 'pdf'
  if (isActive(type)) return 'other'
  const family = type.split('/')[0]
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'other'
}
