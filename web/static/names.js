/** Controls, marks that turn the reading direction, and signs without width: what makes a name look like another. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u00ad\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * @param {string} name a file's name, a path, or a line that others have written
 * @returns {string} the same with everything visible that could hide or turn a part of it
 */
export function visible (name) {
  return name.replaceAll(unseen, (sign) => short[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * @param {string} text several lines
 * @returns {string} as `visible`, but tabs and line ends stay what they are
 */
export function visibleText (text) {
  return text.replaceAll(unseen, (sign) => sign === '\n' || sign === '\t' ? sign : sign === '\r' ? '' : visible(sign))
}

/**
 * @param {string} path
 * @returns {string} its last part
 */
export const baseName = (path) => path.slice(path.lastIndexOf('/') + 1)

/**
 * @param {string} path relative to the workspace
 * @returns {string} the folder it lies in, `.` for the workspace
 */
export const folderOf = (path) => path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'

/**
 * @param {string} folder relative to the workspace, `.` for itself
 * @param {string} name
 * @returns {string}
 */
export const joined = (folder, name) => folder === '.' ? name : `${folder}/${name}`

/**
 * @param {number} sizeBytes
 * @returns {string} such as `3.4 KB`
 */
export function sizeWords (sizeBytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let amount = sizeBytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit++
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toPrecision(2)} ${units[unit]}`
}

/**
 * @param {number} epochS
 * @returns {string} today the time, else the date
 */
export function timeWords (epochS) {
  const date = new Date(epochS * 1000)
  const now = new Date()
  if (date.toDateString() === now.toDateString()) return date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }
  return date.toLocaleDateString([], { day: 'numeric', month: 'short', ...year })
}

/**
 * @param {number} count
 * @param {string} noun
 * @returns {string} such as `1 file` or `3 files`
 */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`
