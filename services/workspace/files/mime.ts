import mime from 'mime'

/** How a browser shows a file of a type. */
export type MediaKind = 'image' | 'audio' | 'video' | 'pdf' | 'html' | 'other'

/** Source code whose registered type would be something else, or something that a page can run. */
const plainText = /\.(?:[cm]?tsx?|[cm]?jsx?|css)$/i
/** Types that are text although their names do not begin with `text/`. */
const textual = /^(?:application\/(?:json5?|manifest\+json|ld\+json|xml|toml|sql|x-sh|x-httpd-php|graphql)|.*\+(?:json|xml))$/
/** Types that a browser shows as a document of the origin they came from, with any scripts in them. */
const active = /^(?:text\/html|text\/xml|text\/xsl|text\/cache-manifest|application\/xml.*|multipart\/.*|message\/.*|.*\+xml)$|\bx-mixed-replace\b/

/** Returns the media type for an extension. JavaScript and stylesheets are plain text: workspace files are to be read, not run. */
export function typeOf (name: string): string {
  return plainText.test(name) ? 'text/plain' : mime.getType(name) ?? 'application/octet-stream'
}

/** Returns a type as a `Content-Type`. Text is declared as UTF-8. */
export function contentType (type: string): string {
  return type.startsWith('text/') || textual.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether a browser that opens a file of this type could run or load something: HTML, XHTML, SVG and XML of any kind. */
export const isActive = (type: string): boolean => active.test(type)

export const isHtml = (type: string): boolean => type === 'text/html' || type === 'application/xhtml+xml'

/** Returns the kind of a type. SVG is not an image here, because it can contain scripts. */
export function mediaKind (type: string): MediaKind {
  if (isHtml(type)) return 'html'
  if (type === 'application/pdf') return 'pdf'
  if (isActive(type)) return 'other'
  const family = type.split('/')[0]
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'other'
}
