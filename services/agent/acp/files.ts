import { RequestError } from '@agentclientprotocol/sdk'
import { Type } from '@sinclair/typebox'
import { createLane } from '../../ground/concurrency/lane.js'
import { resolveInside } from '../tools/containment.js'
import { type Tool, ToolError, type ToolResult } from '../tools/index.js'
import { readText } from '../tools/text-files.js'
import { oneLine } from '../tools/wording.js'
import { text } from './wire.js'

type Params = Readonly<Record<string, unknown>>

const mostBytes = 16 * 1024 * 1024
const atOnce = 2
const longestWaitMs = 60_000
/** How much text of files may wait for permission to be written. */
const mostWritingChars = 64 * 1024 * 1024
const parameters = Type.Object({ path: Type.String(), line: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) })

/** Reads a text file unchanged; the tool for models numbers its lines. */
const readWhole: Tool<typeof parameters> = {
  name: 'read_file',
  description: '',
  parameters,
  risk: 'read',
  targets: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
  preview: ({ path }) => oneLine(path),
  async run ({ path, line = 1, limit }, context) {
    const { bytes, sizeBytes } = await readText(context, path, mostBytes)
    if (sizeBytes > bytes.length) throw new ToolError(`${path} has ${sizeBytes} bytes, more than can be read here.`)
    const whole = bytes.toString('utf8')
    if (line <= 1 && limit === undefined) return { text: whole }
    const lines = whole.split('\n')
    return { text: lines.slice(Math.max(0, line - 1), limit === undefined ? undefined : Math.max(0, line - 1) + limit).join('\n') }
  }
}

export interface FilesOptions {
  workspace: string
  readable: readonly string[]
  /** The service's own tool that writes files. */
  writeFile: Tool
  serve: (tool: Tool, args: Record<string, unknown>) => Promise<ToolResult>
  /** Resolves when the agent has read what it was sent. */
  caughtUp: () => Promise<void>
}

/** Files that an agent has its client read and write: only those of the workspace, and uploaded ones for reading. */
export class Files {
  readonly #lane = createLane(atOnce, longestWaitMs)
  #writingChars = 0

  constructor (private readonly options: FilesOptions) {}

  async read (params: Params): Promise<{ content: string }> {
    const { line, limit } = params
    const path = this.#inside(params, this.options.readable)
    const args = {
      path, ...(typeof line === 'number' ? { line: Math.floor(line) } : {}),
      ...(typeof limit === 'number' ? { limit: Math.floor(limit) } : {})
    }
    // An agent that asks for a thousand files at once gets only a few at a time, as fast as it reads them.
    const run = async (...given: Parameters<typeof readWhole.run>): Promise<ToolResult> => {
      const leave = await this.#lane()
      try {
        await this.options.caughtUp()
        return await readWhole.run(...given)
      } finally {
        leave()
      }
    }
    return { content: (await this.#done({ ...readWhole, run }, args)).text }
  }

  async write (params: Params): Promise<Record<string, never>> {
    const content = text(params['content'])
    if (content === undefined) throw RequestError.invalidParams(undefined, 'A file needs a content')
    const path = this.#inside(params, [])
    if (this.#writingChars + content.length > mostWritingChars) {
      throw RequestError.invalidRequest(undefined, 'Too much is to be written at once; wait for answers')
    }
    this.#writingChars += content.length
    try {
      await this.#done(this.options.writeFile, { path, content })
    } finally {
      this.#writingChars -= content.length
    }
    return {}
  }

  /** Throws RequestError for a path outside. The user is not asked about those: the agent can use its own tools for them, and ask. */
  #inside (params: Params, readable: readonly string[]): string {
    const path = text(params['path'])
    if (path === undefined || path === '') throw RequestError.invalidParams(undefined, 'A path is missing')
    try {
      resolveInside({ workspace: this.options.workspace, approved: false, readable }, path)
    } catch (error) {
      throw RequestError.invalidParams(undefined, error instanceof ToolError
        ? `${oneLine(path, 300)} is outside the workspace, and is not opened for an agent`
        : 'The path cannot be used')
    }
    return path
  }

  async #done (tool: Tool, args: Record<string, unknown>): Promise<ToolResult> {
    const result = await this.options.serve(tool, args)
    if (result.isError !== true) return result
    if (/ does not exist\./.test(result.text)) throw RequestError.resourceNotFound(String(args['path']))
    throw RequestError.invalidRequest(undefined, result.text)
  }
}
