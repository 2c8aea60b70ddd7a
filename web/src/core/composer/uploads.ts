import { ApiError, type Api, type Wire } from '../service/api.js'

/** A running upload. `answer` rejects with an ApiError, also after an abort. */
export interface Transfer { answer: Promise<Wire<'AttachedFile'>>, abort: () => void }

export type Upload = (file: File, fields: Readonly<Record<string, string>>, onProgress: (share: number) => void) => Transfer

const brokenOff = 'The upload broke off: the connection was lost, or the file is larger than the service takes.'

/** Uploads a file as an attachment. */
export function browserUpload (api: Api, words: { brokenOff: () => string } = { brokenOff: () => brokenOff }): Upload {
  return (file, fields, onProgress) => {
    return sendForm(api, '/api/upload', uploadForm(file, fields), onProgress, words.brokenOff)
  }
}

/**
 * Sends a form by XMLHttpRequest, the only API that reports upload progress. The share is from 0 to 1; at 1 the service has not answered
 * yet.
 */
export function sendForm<Answer> (
  api: Api, path: string, form: FormData, onProgress: (share: number) => void, saidWhenBroken: () => string
): { answer: Promise<Answer>, abort: () => void } {
  const request = new XMLHttpRequest()
  const answer = new Promise<Answer>((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    request.addEventListener('error', () => reject(new ApiError(saidWhenBroken(), 0)))
    request.addEventListener('abort', () => reject(new ApiError('aborted', 0)))
    request.addEventListener('load', () => {
      api.read<Answer>(new Response(request.responseText, { status: request.status })).then(resolve, reject)
    })
  })
  request.open('POST', api.url(path))
  for (const [name, value] of Object.entries(api.tokenHeaders)) request.setRequestHeader(name, value)
  request.send(form)
  return { answer, abort: () => request.abort() }
}

/** Puts the fields first, so that the service knows where the file goes before it arrives. */
export function uploadForm (file: File, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file, file.name)
  return form
}

/** Returns the files of a drop or a paste without folders, which a browser passes as unreadable files. */
export function filesOf (transfer: Pick<DataTransfer, 'items'> | null): File[] {
  const items = [...transfer?.items ?? []].filter(({ kind }) => kind === 'file')
  return items.filter((item) => item.webkitGetAsEntry()?.isDirectory !== true).map((item) => item.getAsFile()).filter((file) =>
    file !== null)
}

/** Whether files were pasted. A word processor adds a picture of copied text, which does not count. */
export function isPasteOfFiles ({ types }: Pick<DataTransfer, 'types'>): boolean {
  return types.includes('Files') && !types.includes('text/plain')
}
