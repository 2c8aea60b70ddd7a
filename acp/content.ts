import { type ContentBlock } from '@agentclientprotocol/sdk'
import { fenced } from './updates.js'

export interface PromptContent { text: string, images: File[] }

/**
 * Reads what a person has entered in an editor: the text for the agent, and the images that go with it. Files are named by their
 * paths; the agent reads them itself.
 */
export function readContent (blocks: readonly ContentBlock[]): PromptContent {
  const images = blocks.flatMap((block, index) => block.type === 'image' ? [imageOf(block, index)] : [])
  return { text: blocks.map(textOf).filter((text) => text !== '').join('\n').trim(), images }
}

function textOf (block: ContentBlock): string {
  switch (block.type) {
    case 'text': return block.text
    case 'resource_link': return pathOf(block.uri)
    case 'resource': return 'text' in block.resource
      ? `${pathOf(block.resource.uri)}\n${fenced(block.resource.text)}`
      : pathOf(block.resource.uri)
    default: return ''
  }
}

function pathOf (uri: string): string {
  try {
    const url = new URL(uri)
    return url.protocol === 'file:' ? `${decodeURIComponent(url.pathname)}${url.hash}` : uri
  } catch {
    return uri
  }
}

function imageOf ({ data, mimeType }: { data: string, mimeType: string }, index: number): File {
  const [, kind = 'png'] = /^image\/([a-z0-9]+)/.exec(mimeType) ?? []
  return new File([Buffer.from(data, 'base64')], `image-${index + 1}.${kind}`, { type: mimeType })
}
