/** How a file is shown, by its name; `text` is asked of the service, which may find that it is binary. */
export type FileKind = 'picture' | 'audio' | 'video' | 'pdf' | 'markdown' | 'table' | 'text'

const kinds: ReadonlyArray<[FileKind, RegExp]> = [
  ['picture', /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i],
  ['audio', /\.(?:mp3|wav|ogg|oga|opus|m4a|aac|flac)$/i],
  ['video', /\.(?:mp4|m4v|webm|ogv|mov)$/i],
  ['pdf', /\.pdf$/i],
  ['markdown', /\.(?:md|markdown|mdown)$/i],
  ['table', /\.(?:csv|tsv)$/i]
]

export const kindOf = (path: string): FileKind => kinds.find(([, names]) => names.test(path))?.[0] ?? 'text'

/** Whether the service can extract its text. */
export const isOffice = (path: string): boolean => /\.(?:docx|xlsx|pptx)$/i.test(path)
