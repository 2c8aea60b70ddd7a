import { Readable } from 'node:stream'
import { type Attachment } from '../../agent/protocol.js'
import { TooLarge } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { getOutside, PrivateAddress } from '../../ground/network/outgoing.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { chainOf, unreachedBy, unreachedInWords } from '../../ground/network/unreached.js'
import { type Arrival, type Files } from '../../workspace/files/index.js'
import { RequestRefused } from './failures.js'

/** An image of a message: a data URL, or its address. Errors name it by `path`. */
export interface InputImage { url: string, path: string }

/** The limit for images that models are shown: a larger one would be dropped on its way to them. */
const mostBytes = 10 * 1024 * 1024
const mostImages = 20
/** For all images of a request together. */
const limitMs = 30_000
const endings: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' }

/** Reads both forms: `{image_url: {url}}` of completions, and `{image_url}` of responses. Throws RequestRefused. */
export function imageOf (
  { image_url: given, file_id: fileId, detail = fieldsOf(given)['detail'] }: Record<string, unknown>, path: string
): InputImage {
  if (detail === 'low') {
    throw new RequestRefused(`${path}.detail: models are shown the whole image`, `${path}.detail`, 'unsupported_parameter')
  }
  if (fileId !== undefined && fileId !== null) {
    throw new RequestRefused(`${path}.file_id is not supported; send the image itself`, `${path}.file_id`, 'unsupported_parameter')
  }
  const url = isRecord(given) ? given['url'] : given
  if (typeof url !== 'string' || !/^(?:data:|https:)/i.test(url)) {
    throw new RequestRefused(`${path}.image_url must be an address that begins with https:, or a data URL`, `${path}.image_url`)
  }
  return { url, path: `${path}.image_url` }
}

/** Fetches an address that an outside party chose. */
type Reach = typeof getOutside

export interface ImagesOptions {
  incoming: Pick<Files['incoming'], 'receive'>
  uploads: Pick<Files['uploads'], 'attach'>
  reach?: Reach
}

/** The images in a client's messages, which become attachments of its conversation. */
export function createImages ({ incoming, uploads, reach = getOutside }: ImagesOptions) {
  async function arrive (image: InputImage, index: number, signal: AbortSignal): Promise<Arrival> {
    const { path } = image
    const bytes = /^data:/i.test(image.url) ? dataOf(image) : await fetched(image, reach, signal)
    if (bytes.length > mostBytes) throw tooLarge(path)
    const { fileTypeFromBuffer } = await import('file-type')
    const ending = endings[(await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime ?? '']
    if (ending === undefined) throw new RequestRefused(`${path} is no image that models take: PNG, JPEG, GIF or WebP`, path, 'invalid_image_format')
    return await incoming.receive(Readable.from([bytes]), `image-${index + 1}.${ending}`)
  }

  return {
    /**
     * Receives the images one after the other, without attaching them yet. Throws RequestRefused and TooLarge. The caller calls `discard`
     * afterwards, whether or not they were attached.
     */
    async receive (images: readonly InputImage[], signal: AbortSignal): Promise<Arrival[]> {
      const beyond = images[mostImages]
      if (beyond !== undefined) throw new RequestRefused(`At most ${mostImages} images are accepted at once`, beyond.path)
      const arrivals: Arrival[] = []
      const limit = timeLimit(limitMs, [signal])
      try {
        for (const [index, image] of images.entries()) arrivals.push(await arrive(image, index, limit.signal))
        return arrivals
      } catch (error) {
        await discard(arrivals)
        throw error
      } finally {
        limit.clear()
      }
    },

    /** Stores them where the app stores attachments of this session's messages. Throws NotFound. */
    async attach (sessionId: string, arrivals: readonly Arrival[]): Promise<Attachment[]> {
      const attached: Attachment[] = []
      for (const arrival of arrivals) {
        const { name, path, type: mime, sizeBytes: size, isImage } = await uploads.attach(sessionId, arrival)
        attached.push({ name, path, mime, size, isImage })
      }
      return attached
    },

    discard
  }
}
export type Images = ReturnType<typeof createImages>

async function discard (arrivals: readonly Arrival[]): Promise<void> {
  await Promise.all(arrivals.map(async (arrival) => await arrival.discard()))
}

const tooLarge = (path: string): TooLarge => new TooLarge(`${path}: an image may have at most ${mostBytes / 1024 / 1024} MB`)

function dataOf ({ url, path }: InputImage): Buffer {
  const [head = '', data] = [url.slice(0, url.indexOf(',')), url.slice(url.indexOf(',') + 1)]
  if (!/^data:[^,]{0,200};base64$/i.test(head) || !/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(data)) {
    throw new RequestRefused(`${path} must be a data URL of an image in base64`, path, 'invalid_image_url')
  }
  return Buffer.from(data, 'base64')
}

async function fetched ({ url, path }: InputImage, reach: Reach, signal: AbortSignal): Promise<Buffer> {
  const failing = (says: string): RequestRefused => new RequestRefused(`${path}: the image ${says}`, path, 'invalid_image_url')
  let close = async (): Promise<void> => {}
  try {
    const reached = await reach(new URL(url), signal, 'image/*')
    const { response } = reached
    close = reached.close
    if (!response.ok) throw failing(`could not be fetched: its server has answered ${response.status}`)
    const chunks: Uint8Array[] = []
    let total = 0
    // Leaving the loop cancels the body.
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      total += chunk.length
      if (total > mostBytes) throw tooLarge(path)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof TooLarge) throw error
    if (chainOf(error).some((each) => each instanceof PrivateAddress)) throw failing('is at a private address, which is not fetched')
    if (signal.aborted) throw failing(`did not come within ${limitMs / 1000} seconds`)
    const unreached = unreachedBy(error)
    throw failing(unreached === null ? 'could not be fetched' : `could not be fetched: its server ${unreachedInWords(unreached).says}`)
  } finally {
    await close()
  }
}
