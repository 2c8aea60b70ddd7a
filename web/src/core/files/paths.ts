/** Control characters, bidirectional marks and zero-width characters, which make one name look like another. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u00ad\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Makes characters visible that could hide or reverse parts of a name, a path or a line. */
export function visible (name: string): string {
  return name.replaceAll(unseen, (sign) => short[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Like `visible` for several lines: keeps tabs and line breaks. */
export function visibleText (text: string): string {
  return text.replaceAll(unseen, (sign) => sign === '\n' || sign === '\t' ? sign : sign === '\r' ? '' : visible(sign))
}

/** Paths are relative to the workspace, which itself is `.`. */
export const workspaceTop = '.'

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Returns the folder of a path. */
export const folderOf = (path: string): string => path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : workspaceTop

export const joined = (folder: string, name: string): string => folder === workspaceTop ? name : `${folder}/${name}`

/** Whether a path is that folder or in it. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === workspaceTop || path === folder || path.startsWith(`${folder}/`)

/** Returns the steps from the workspace to a folder, the workspace first. */
export function stepsTo (folder: string): ReadonlyArray<{ path: string, name: string }> {
  const parts = folder === workspaceTop ? [] : folder.split('/')
  return [{ path: workspaceTop, name: '' }, ...parts.map((name, depth) => ({ path: parts.slice(0, depth + 1).join('/'), name }))]
}

const archives = /\.(?:zip|tar|tgz|tar\.gz)$/i

/** Whether the service can unpack it, by its name. */
export const isArchive = (name: string): boolean => archives.test(name)
