const encoder = new TextEncoder()
const blockBytes = 512
const mostNameBytes = 100

/** A file of a folder that a person has chosen: its path begins with the folder's name. */
export interface PackedFile { path: string, bytes: Uint8Array<ArrayBuffer> }

/** Packs files into a tar archive. Browsers do not know which files are executable, so none is marked. */
export function tarOf (files: readonly PackedFile[]): Blob {
  const parts = files.flatMap(({ path, bytes }) => {
    const name = encoder.encode(path)
    const long = name.length > mostNameBytes ? entry(encoder.encode('long'), 'x', encoder.encode(longPath(path))) : []
    return [...long, ...entry(name, '0', bytes)]
  })
  return new Blob([...parts, new Uint8Array(2 * blockBytes)], { type: 'application/x-tar' })
}

/** Returns the files of a chosen folder that belong into an archive, or a single SKILL.md as if it were in one. */
export async function packed (files: readonly File[]): Promise<PackedFile[]> {
  const wanted = files.map((file) => ({ file, path: file.webkitRelativePath === '' ? 'SKILL.md' : file.webkitRelativePath })).filter(({ path }) =>
    !/(?:^|\/)(?:\.git\/|\.DS_Store$)/.test(path))
  return await Promise.all(wanted.map(async ({ file, path }) => ({ path, bytes: new Uint8Array(await file.arrayBuffer()) })))
}

/** Returns the record that gives the next entry a longer name than its header has room for. It begins with its own length. */
function longPath (path: string): string {
  const rest = ` path=${path}\n`
  const restBytes = encoder.encode(rest).length
  let length = restBytes
  while (length !== restBytes + String(length).length) length = restBytes + String(length).length
  return `${length}${rest}`
}

function entry (name: Uint8Array, type: '0' | 'x', content: Uint8Array<ArrayBuffer>): Array<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(blockBytes)
  const put = (text: string, at: number): void => header.set(encoder.encode(text), at)
  header.set(name.subarray(0, mostNameBytes))
  put('0000644\x000000000\x000000000\x00', 100)
  put(`${content.length.toString(8).padStart(11, '0')}\x0000000000000\x00`, 124)
  // The sum of the header counts its own field as blanks.
  put(`        ${type}`, 148)
  put('ustar\x0000', 257)
  put(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\x00 `, 148)
  return [header, content, new Uint8Array((blockBytes - content.length % blockBytes) % blockBytes)]
}
