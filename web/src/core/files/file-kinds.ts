/** How a file is shown, judged by its name. A `text` is fetched from the service, which may find that it is binary. */
export type FileKind = 'picture' | 'audio' | 'video' | 'pdf' | 'notebook' | 'markdown' | 'table' | 'page' | 'text'

const kinds: ReadonlyArray<[FileKind, RegExp]> = [
  ['picture', /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i],
  ['audio', /\.(?:mp3|wav|ogg|oga|opus|m4a|aac|flac)$/i],
  ['video', /\.(?:mp4|m4v|webm|ogv|mov)$/i],
  ['pdf', /\.pdf$/i],
  ['notebook', /\.ipynb$/i],
  ['markdown', /\.(?:md|markdown|mdown)$/i],
  ['table', /\.(?:csv|tsv)$/i],
  ['page', /\.html?$/i]
]

export const kindOf = (path: string): FileKind => kinds.find(([, names]) => names.test(path))?.[0] ?? 'text'

/** Whether it has a text to read and edit; other files are bytes only. */
export const isRead = (kind: FileKind): boolean => isRendered(kind) || kind === 'text'

/** Whether its text is source for something else, which is shown instead. */
export const isRendered = (kind: FileKind): boolean => kind === 'markdown' || kind === 'table' || kind === 'notebook' || kind === 'page'

/** Whether the service can extract its text. */
export const isOffice = (path: string): boolean => /\.(?:docx|xlsx|pptx|odt|ods|odp)$/i.test(path)
