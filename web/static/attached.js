import { withQuery } from './api.js'
import { el } from './dom.js'
import { sizeWords, visible } from './names.js'

const drawn = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/

/**
 * What was sent with a message: pictures small, everything else by its name. Both lead to the file.
 * @param {Array<string | { name?: string, path?: string, mime?: string, size?: number, is_image?: boolean }>} attachments
 * @param {string | null} sessionId
 * @returns {HTMLElement | null}
 */
export function attachedList (attachments, sessionId) {
  if (attachments.length === 0) return null
  const files = attachments.map((attachment) => typeof attachment === 'string' ? { name: attachment } : attachment)
  return el('ul', { class: 'attached', 'aria-label': 'Attached' }, ...files.map((file) => el('li', {}, attachedFile(file, sessionId))))
}

/** One that another client has only named cannot be opened. */
function attachedFile ({ name, path, mime = '', size, is_image: isImage }, sessionId) {
  const shown = visible(name || path || 'file')
  const label = el('bdi', {}, shown)
  const facts = typeof size === 'number' && size > 0 ? el('span', { class: 'small' }, sizeWords(size)) : null
  if (!path || sessionId === null) return el('span', { class: 'chip' }, label, facts)
  const isDrawn = isImage === true && drawn.test(mime)
  const address = withQuery('/api/file/raw', { session_id: sessionId, path, ...(isDrawn ? {} : { download: 1 }) })
  const link = el('a', { class: 'chip', href: address, title: shown, ...(isDrawn ? { target: '_blank', rel: 'noopener' } : { download: '' }) }, label, facts)
  if (!isDrawn) return link
  const image = el('img', { src: address, alt: shown, loading: 'lazy', onerror: () => image.replaceWith(label) })
  link.className = 'picture'
  link.replaceChildren(image)
  return link
}

/**
 * Other clients write the names of the files into the text as well, for the model.
 * @param {string} text
 * @returns {string} without them
 */
export const withoutMarker = (text) => text.replace(/\s*\[Attached files: [^\]]*\]\s*$/, '')
