import { type ModelGroup } from '../models/index.js'

const parameters = [
  'tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'structured_outputs', 'max_tokens', 'max_completion_tokens'
]

/** A model in OpenAI's form, with its known properties named as in OpenRouter's list, which many clients read. */
export function modelToOpenAi (
  { id, label, contextLength, sees, thinks }: ModelGroup['models'][number], { providerId: owner, isAgent }: Pick<ModelGroup, 'providerId' | 'isAgent'>
) {
  return {
    id,
    object: 'model' as const,
    created: 0,
    owned_by: owner,
    name: label,
    ...(contextLength === null ? {} : { context_length: contextLength }),
    ...(sees === null
      ? {}
      : {
          architecture: {
            input_modalities: sees ? ['text' as const, 'image' as const] : ['text' as const], output_modalities: ['text' as const]
          }
        }),
    supported_parameters: [...(isAgent === true ? [] : parameters), ...(thinks === true ? ['reasoning', 'reasoning_effort'] : [])]
  }
}
