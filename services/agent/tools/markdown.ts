import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { timeLimit } from '../../ground/time/time-limit.js'
import { oneLine } from './wording.js'

/**
 * Converts a web page to Markdown, its title first. A worker thread does the work, within limits of time and memory; if it fails, the
 * result is the page's text without formatting. Rejects only when `signal` is aborted.
 */
export async function toMarkdown (html: string, signal: AbortSignal, timeoutMs = 8000): Promise<string> {
  const title = titleOf(html)
  const limit = timeLimit(timeoutMs, [signal])
  const body = await convert(html, limit.signal).catch(() => null).finally(limit.clear)
  signal.throwIfAborted()
  return (title === '' ? '' : `Title: ${title}\n\n`) + (body ?? wordsOf(html)).replace(/\n{3,}/g, '\n\n')
}

// A string, because a worker that is started from a file would need the build's output, which tests and development do not have.
const workerSource = `
const { parentPort, workerData } = require('node:worker_threads')
const TurndownService = require(workerData.turndown)
const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
const unread = ['script', 'style', 'noscript', 'iframe', 'object', 'canvas', 'svg', 'template', 'title']
turndown.addRule('unread', { filter: (node) => unread.includes(node.nodeName.toLowerCase()), replacement: () => '' })
turndown.addRule('images', {
  filter: 'img',
  replacement: (content, node) => {
    const alt = node.getAttribute('alt') || ''
    const source = node.getAttribute('src') || ''
    return source === '' || source.startsWith('data:') ? alt : '![' + alt + '](' + source + ')'
  }
})
parentPort.postMessage(turndown.turndown(workerData.html))
`

async function convert (html: string, limit: AbortSignal): Promise<string> {
  const worker = new Worker(workerSource, {
    eval: true,
    workerData: { html, turndown: createRequire(import.meta.url).resolve('turndown') },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256 }
  })
  try {
    return await new Promise<string>((resolve, reject) => {
      const giveUp = (): void => { reject(new Error('the conversion was given up')) }
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', giveUp)
      limit.addEventListener('abort', giveUp, { once: true })
      if (limit.aborted) giveUp()
    })
  } finally {
    await worker.terminate()
  }
}

function titleOf (html: string): string {
  const from = html.search(/<title[\s>]/i)
  const open = from === -1 ? -1 : html.indexOf('>', from)
  const close = open === -1 ? -1 : html.indexOf('<', open)
  return close === -1 ? '' : oneLine(html.slice(open + 1, close), 200)
}

function wordsOf (html: string): string {
  return html.replace(/<(script|style)\b[^<>]*>[^<]*<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ').replace(/[ \t]+/g, ' ')
}
