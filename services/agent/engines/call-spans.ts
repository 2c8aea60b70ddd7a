import { cutText, type SpanAttributes } from '../../ground/tracing/vocabulary.js'
import { type ToolCall } from '../protocol.js'
import { type Tool, type ToolResult } from '../tools/index.js'
import { type OpenSpan, type RunSpans } from './run-spans.js'

/** Begins the span of a call; returns undefined if its turn is not traced. `isFit`: the arguments fit the tool. */
export function beginTool (
  spans: RunSpans | undefined, tool: Tool | undefined, { id, name, args }: ToolCall, isFit = true
): OpenSpan<'tool'> | undefined {
  if (spans === undefined) return undefined
  const mcp = isFit ? tool?.targets(args).mcp : undefined
  return spans.begin('tool', {
    // The model may make up any name for a tool that does not exist.
    'gen_ai.tool.name': tool === undefined ? '_OTHER' : name,
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.type': mcp === undefined ? 'function' : 'extension',
    ...(mcp === undefined ? {} : { 'mcp.method.name': 'tools/call', 'svc.mcp.server': mcp.server }),
    ...(spans.hasTexts ? { 'gen_ai.tool.call.arguments': cutText(JSON.stringify(args)) } : {})
  })
}

/** Returns the attributes of a call that has run. */
export function resultOf (spans: RunSpans | undefined, { text, isError }: ToolResult): SpanAttributes<'tool'> {
  return {
    ...(isError === true && { 'error.type': 'tool_error' }), ...(spans?.hasTexts === true && { 'gen_ai.tool.call.result': cutText(text) })
  }
}
