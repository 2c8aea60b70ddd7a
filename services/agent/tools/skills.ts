import { Type, type Static } from '@sinclair/typebox'
import { type Answered, type RequestBody, type RequestKind } from '../requests.js'
import { ToolError } from './containment.js'
import { replaced } from './edit-file.js'
import { refuseInvisible } from './lasting-text.js'
import { type SkillAccess, type Tool, type ToolResult } from './tool.js'
import { oneLine } from './wording.js'

const ViewParameters = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 200, description: 'The skill. Absent: a list of all skills.' })),
  file: Type.Optional(Type.String({
    maxLength: 1_000, description: 'A file of this skill, such as references/api.md. Absent: its instructions.'
  }))
}, { additionalProperties: false })

export function createSkillView (): Tool<typeof ViewParameters> {
  return {
    name: 'skill_view',
    description: 'Loads a skill: instructions for a particular kind of work, and the names of the files that belong to it. With file, one of those files.',
    parameters: ViewParameters,
    risk: 'read',
    targets: () => ({}),
    preview: ({ name = 'all skills', file }) => oneLine(file === undefined ? name : `${name}: ${file}`),

    run: async ({ name, file }, { skills }) => await skills.view(name ?? null, file ?? null)
  }
}

const SaveParameters = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, description: 'The skill: lower-case letters, digits and hyphens.' }),
  category: Type.Optional(Type.String({ maxLength: 100, description: 'The folder for a new skill. Absent: none.' })),
  content: Type.Optional(Type.String({ description: 'The complete text of its SKILL.md: front matter between --- lines with name (the same) and description (what it is for and when to use it), then the instructions in Markdown.' })),
  old_string: Type.Optional(Type.String({
    description: 'Instead of content, to change a part: the exact text to replace. It has to occur exactly once.'
  })),
  new_string: Type.Optional(Type.String({ description: 'What takes its place. Empty removes the text.' }))
}, { additionalProperties: false })
type SaveArguments = Static<typeof SaveParameters>

/** Saves a skill of the profile. The user is shown the change and asked each time, because later conversations follow the skill. */
export function createSkillSave (): Tool<typeof SaveParameters> {
  return {
    name: 'skill_save',
    description: 'Creates a skill, replaces one, or changes a part of one (old_string, new_string): instructions that later conversations can load. ' +
      'For work that was hard to get right and will come again. The user sees the change and is asked.',
    parameters: SaveParameters,
    risk: 'write',
    targets: ({ name }) => ({ skill: name }),
    preview: ({ name }) => oneLine(name),

    async propose (args, { skills }) {
      const { path, text, version } = await skills.text(args.name, args.category ?? null, args.content ?? args.new_string)
      const after = contentAfter(args, text)
      // Nobody is asked about a text that cannot be saved.
      await skills.text(args.name, args.category ?? null, undefined, after)
      return { path, before: text, after, seen: version }
    },

    async run (args, { skills, seen }) {
      const { text, version } = await skills.text(args.name, args.category ?? null)
      if (seen !== undefined && seen !== version) {
        throw new ToolError(
          `The skill ${args.name} has changed since the user was shown what would become of it. View it again and save anew.`
        )
      }
      return await skills.save(args.name, args.category ?? null, contentAfter(args, text), version)
    }
  }
}

function contentAfter ({ name, content, old_string: oldString, new_string: newString }: SaveArguments, before: string | null): string {
  refuseInvisible('content', content)
  refuseInvisible('new_string', newString)
  if (content !== undefined) {
    if (oldString !== undefined || newString !== undefined) {
      throw new ToolError('Pass either content, or old_string and new_string, not both.')
    }
    if (content.trim() === '') throw new ToolError('The content is empty.')
    return content
  }
  if (oldString === undefined || newString === undefined) throw new ToolError('Pass content, or old_string and new_string.')
  if (before === null) {
    throw new ToolError(
      `The user has no skill of their own named ${name}. To change one that comes from elsewhere, save its complete text as content.`
    )
  }
  return replaced(before, { path: `the skill ${name}`, old_string: oldString, new_string: newString })
}

/** Returns a run's access to the skills of its profile, which the web tier stores. */
export function skillAccess (request: <K extends RequestKind>(what: K, body: RequestBody<K>) => Promise<Answered<K>>): SkillAccess {
  return {
    async view (name, file) {
      return resultOf(await request('skill_view', { name, file }))
    },
    async text (name, category, added, whole) {
      const answered = await request('skill_text', { name, category, added, whole })
      if ('error' in answered) throw new ToolError(`The skill cannot be read: ${answered.error.message}.`)
      if ('problem' in answered.answer) throw new ToolError(answered.answer.problem)
      return answered.answer
    },
    async save (name, category, content, expected) {
      return resultOf(await request('skill_save', { name, category, content, expected }))
    }
  }
}

function resultOf (answered: Answered<'skill_view' | 'skill_save'>): ToolResult {
  return 'answer' in answered ? answered.answer : { text: `The skills cannot be reached: ${answered.error.message}.`, isError: true }
}
