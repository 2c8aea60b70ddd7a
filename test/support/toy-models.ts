// Minimal models for the real engine. ONNX is protobuf, and so little of it is needed that it is written by hand.

/** Returns a VITS model that makes a hundred samples of each token, as loud as the token's number. */
export function toyVoice (sampleRate: number): Buffer {
  const facts = { model_type: 'vits', comment: 'toy', language: 'English', voice: 'en-us', has_espeak: 0, add_blank: 0, n_speakers: 1, sample_rate: sampleRate, punctuation: ', .' }
  return model(facts,
    [1, node('Cast', ['x'], 'loudness', message([1, 'to'], [3, float], [20, 2]))],
    [1, node('Mul', ['loudness', 'step'], 'quiet')],
    [1, node('Unsqueeze', ['quiet', 'axis'], 'channel')],
    [1, node('Tile', ['channel', 'times'], 'y')],
    [5, message([2, float], [8, 'step'], [9, Buffer.from(new Float32Array([0.1]).buffer)])],
    [5, numbers('axis', [1])],
    [5, numbers('times', [1, 1, 100])],
    [11, value('x', int64, ['N', 'T'])], [11, value('x_length', int64, ['N'])],
    [11, value('noise_scale', float, [1])], [11, value('length_scale', float, [1])], [11, value('noise_scale_w', float, [1])],
    [12, value('y', float, ['N', 1, 'L'])]
  )
}

/** What {@link toyVoice} can say. */
export const toyVoiceFiles = { 'tokens.txt': '_ 0\n, 1\n. 2\na 3\nb 4\nc 5\n 6\n', 'lexicon.txt': 'ab a b\nc c\n' }

/** Returns a streaming Zipformer model: whatever is said, it hears three words, one after the other. */
export function toyListener (): Buffer {
  const facts = {
    model_type: 'zipformer2', version: 1, decode_chunk_len: 32, T: 45, encoder_dims: 8, query_head_dims: 4, value_head_dims: 4, num_heads: 1, num_encoder_layers: 1, cnn_module_kernels: 3, left_context_len: 8
  }
  const states = ['cached_key_0', 'cached_nonlin_attn_0', 'cached_val1_0', 'cached_val2_0', 'cached_conv1_0', 'cached_conv2_0', 'embed_states']
  const shapeOf = (name: string) => Array.from({ length: /nonlin|embed/.test(name) ? 4 : 3 }, (_, at) => `${name}_${at}`)
  return model(facts,
    ...states.map((name): Field => [1, node('Identity', [name], `new_${name}`)]),
    [1, node('Add', ['processed_lens', 'one'], 'new_processed_lens')],
    [1, node('Mod', ['processed_lens', 'words'], 'turn')],
    [1, node('Add', ['turn', 'one'], 'word')],
    [1, node('OneHot', ['word', 'depth', 'values'], 'likely')],
    [1, node('Unsqueeze', ['likely', 'one'], 'log_probs')],
    [5, numbers('one', [1])], [5, numbers('words', [3])], [5, numbers('depth', [4])],
    [5, message([1, 2], [2, float], [8, 'values'], [9, Buffer.from(new Float32Array([-10, 0]).buffer)])],
    [11, value('x', float, ['N', facts.T, 80])], ...states.map((name): Field => [11, value(name, float, shapeOf(name))]), [11, value('processed_lens', int64, ['N'])],
    [12, value('log_probs', float, ['N', 1, 4])], ...states.map((name): Field => [12, value(`new_${name}`, float, shapeOf(name))]), [12, value('new_processed_lens', int64, ['N'])]
  )
}

/** What {@link toyListener} understands. */
export const toyListenerFiles = { 'tokens.txt': '<blk> 0\n▁one 1\n▁two 2\n▁three 3\n' }

/** Number and content of a field: a whole number, or bytes. */
type Field = [field: number, content: number | string | Buffer]

const float = 1
const int64 = 7

function model (facts: Record<string, string | number>, ...graph: Field[]): Buffer {
  return message([1, 8], [7, message(...graph, [2, 'toy'])], [8, message([1, ''], [2, 13])], ...Object.entries(facts).map(([key, fact]): Field => [14, message([1, key], [2, String(fact)])]))
}

function message (...fields: Field[]): Buffer {
  return Buffer.concat(fields.flatMap(([field, content]) => {
    if (typeof content === 'number') return [varint(field << 3), varint(content)]
    const bytes = Buffer.from(content as string)
    return [varint(field << 3 | 2), varint(bytes.length), bytes]
  }))
}

function varint (number: number): Buffer {
  const bytes: number[] = []
  for (; number > 0x7f; number >>>= 7) bytes.push(number & 0x7f | 0x80)
  return Buffer.from([...bytes, number])
}

function node (kind: string, inputs: string[], output: string, attribute?: Buffer): Buffer {
  return message(...inputs.map((name): Field => [1, name]), [2, output], [4, kind], ...(attribute === undefined ? [] : [[5, attribute] as Field]))
}

const numbers = (name: string, all: number[]): Buffer => message([1, all.length], [2, int64], [8, name], [9, Buffer.from(new BigInt64Array(all.map(BigInt)).buffer)])

function value (name: string, type: number, shape: Array<number | string>): Buffer {
  const dimensions = shape.map((size): Field => [1, message(typeof size === 'number' ? [1, size] : [2, size])])
  return message([1, name], [2, message([1, message([1, type], [2, message(...dimensions)])])])
}
