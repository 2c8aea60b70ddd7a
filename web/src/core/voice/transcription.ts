import { ApiError, type Api, type Wire } from '../service/api.js'
import { eventFrames } from '../../../../clients/typescript/src/events.js'

export interface Recording { readonly sound: Blob, readonly name: string }

const endings: ReadonlyArray<readonly [type: RegExp, ending: string]> = [
  [/webm/, 'webm'], [/ogg/, 'ogg'], [/mp4|m4a|aac/, 'm4a'], [/wav/, 'wav'], [/mpeg|mp3/, 'mp3']
]

/** Returns a file name with the extension for its type. */
export const recordingName = (type: string): string => `recording.${endings.find(([kind]) => kind.test(type))?.[1] ?? 'webm'}`

/** Transcribes a recording; `onPartial` gets intermediate results. Throws ApiError, and the reason of `signal`. */
export async function transcribe (
  api: Api, { sound, name }: Recording,
  { onPartial, signal }: { onPartial?: (text: string) => void, signal?: AbortSignal } = {}
): Promise<string> {
  const form = new FormData()
  form.append('file', sound, name)
  let response: Response
  try {
    response = await fetch(api.url('/api/transcribe', { stream: '1' }), {
      method: 'POST', body: form, headers: { accept: 'text/event-stream', ...api.tokenHeaders }, signal: signal ?? null
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiError('The connection was lost. Try again.', 0)
  }
  // Early failures are ordinary errors, and a service without events answers with the whole text.
  if (!response.ok || response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return (await api.read<Wire<'Transcript'>>(response)).transcript
  }
  for await (const { frame } of eventFrames<Wire<'TranscriptEvent'>>(response.body)) {
    if (frame.event === 'partial') onPartial?.(frame.data.text)
    else if (frame.event === 'final') return frame.data.transcript
    else if (frame.event === 'error') throw new ApiError(frame.data.error, 502)
  }
  throw new ApiError('The connection was lost. Try again.', 0)
}
