import { Type } from '@sinclair/typebox'
import { Closed, Count, Id, Maybe, Nullable, OneOf } from './common.js'

const SkillOrigin = OneOf([
  'profile', 'external', 'plugin', 'claude', 'shipped'
], 'profile: the profile\'s own; external: a folder of skills.external_dirs; plugin: a plugin; claude: ~/.claude/skills; ' +
  'shipped: part of the service')
const SkillPath = Type.String({ description: 'path of its SKILL.md, relative to the folder of skills' })
const shadows = Type.Array(Closed({ origin: SkillOrigin, path: Type.String() }), { description: 'skills with the same name that this one replaces' })
const name = Type.String({ minLength: 1, maxLength: 200 })

export const Skill = Closed({
  name: Type.String(),
  description: Type.String(),
  category: Type.String({ description: 'empty: none' }),
  disabled: Type.Boolean(),
  path: SkillPath,
  tags: Type.Array(Type.String()),
  related_skills: Type.Array(Type.String()),
  origin: SkillOrigin,
  read_only: Type.Boolean({ description: 'it can be switched off, but not edited or deleted' }),
  warning: Nullable(Type.String(), 'what is wrong with the file; null: nothing'),
  shadows
}, { title: 'Skill' })

export const SkillList = Closed({ skills: Type.Array(Skill) }, { title: 'SkillList' })

export const SkillsQuery = Type.Object({
  category: Type.Optional(Type.String({ maxLength: 200, description: 'only skills of this category' }))
})

export const SkillQuery = Type.Object({
  name,
  file: Type.Optional(Type.String({ maxLength: 4_000, description: 'a file of the skill, relative to its folder' }))
})

const paths = Type.Array(Type.String())
export const SkillView = Closed({
  success: Type.Literal(true),
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  tags: Type.Array(Type.String()),
  related_skills: Type.Array(Type.String()),
  content: Type.String({ description: 'the whole SKILL.md' }),
  version: Type.String({ description: 'version of the text; send it with a save to detect changes made meanwhile' }),
  path: SkillPath,
  linked_files: Closed({ references: paths, templates: paths, scripts: paths, assets: paths }),
  disabled: Type.Boolean(),
  origin: SkillOrigin,
  read_only: Type.Boolean(),
  warning: Nullable(Type.String()),
  shadows
}, { title: 'SkillView' })
export const SkillFile = Closed({
  content: Type.String(), path: Type.String({ description: 'relative to the folder of the skill' })
}, { title: 'SkillFile' })
export const NoSkill = Closed({
  success: Type.Literal(false), error: Type.String(), code: Type.Optional(Type.String())
}, { title: 'NoSkill' })

export const SaveSkill = Type.Object({
  name,
  content: Type.String({ minLength: 1, description: 'the whole SKILL.md' }),
  category: Maybe(Type.String({ maxLength: 200, description: 'category of a new skill; an existing one stays in its category' })),
  version: Maybe(Type.String({
    maxLength: 100, description: 'version of the text to replace, or `none` for a new skill; without it, any text is replaced'
  }))
})
export const SavedSkill = Closed({ ok: Type.Literal(true), name: Type.String(), path: SkillPath }, { title: 'SavedSkill' })

export const DeleteSkill = Type.Object({ name })
export const DeletedSkill = Closed({ ok: Type.Literal(true), name: Type.String() }, { title: 'DeletedSkill' })

export const ToggleSkill = Type.Object({ name, enabled: Type.Boolean() })
export const ToggledSkill = Closed({ ok: Type.Literal(true), name: Type.String(), enabled: Type.Boolean() }, { title: 'ToggledSkill' })

export const SkillUsage = Closed({
  usage: Type.Record(Type.String(), Type.Object({
    use_count: Type.Integer({ description: 'messages that began with the skill' }),
    view_count: Type.Integer({ description: 'times the agent loaded it' }),
    patch_count: Type.Integer({ description: 'times the agent changed it' })
  }, {
    additionalProperties: true,
    description: 'includes all other keys of the skill in `.usage.json`, such as last_used_at; open, because other programs keep keys of their own there'
  }), { description: 'by name of the skill' }),
  skill_names: Type.Array(Type.String(), { description: 'names of all skills' }),
  total_invocations: Type.Integer({ description: 'uses and views of all skills' }),
  unique_skills_used: Type.Integer()
}, { title: 'SkillUsage' })

const ImportId = Id('id of an inspected archive; kept for a day')

/** Only for the document: a form is checked while it is read. */
export const InspectForm = Type.Object({
  file: Type.Optional(Type.String({
    contentMediaType: 'application/octet-stream', description: 'a zip (also `.skill`), tar or tar.gz file with its name; required'
  }))
}, { description: 'multipart/form-data' })

export const InspectedSkill = Closed({
  id: Type.String({ description: 'its folder in the archive; `.` for the top' }),
  name: Type.String({ description: 'the name under which it would be saved' }),
  description: Type.String(),
  warning: Nullable(Type.String(), 'where it departs from the specification, and what is not shown in it; null: nothing'),
  problem: Nullable(Type.String(), 'why it cannot be imported; null: it can'),
  content: Type.String({ description: 'the beginning of its SKILL.md' }),
  files: Type.Array(Closed({
    path: Type.String({ description: 'relative to its folder' }),
    size: Count('bytes'),
    executable: Type.Boolean(),
    script: Type.Boolean({ description: 'the agent could run it' })
  })),
  conflict: Nullable(Closed({ path: SkillPath, same: Type.Boolean({ description: 'it has the same files' }) }),
    'the profile\'s own skill of this name; null: none'),
  hides: Type.Array(SkillOrigin, { description: 'origins of other skills of this name, which it would replace' })
}, { title: 'InspectedSkill' })

export const SkillInspection = Closed({
  id: Type.String({ description: 'send it to import the skills, or to discard them' }),
  skills: Type.Array(InspectedSkill),
  other_files: Count('files of the archive that belong to no skill')
}, { title: 'SkillInspection' })

export const ImportSkills = Type.Object({
  id: ImportId,
  skills: Type.Array(Type.Object({
    id: Id('id of a skill in the archive'),
    on_conflict: Maybe(OneOf(['refuse', 'replace', 'keep_both'],
      'if the profile has a skill of this name; refuse, the default: 409; keep_both: the new one gets another name'))
  }), { minItems: 1, maxItems: 100 }),
  category: Maybe(Type.String({ maxLength: 200, description: 'category of the new skills; default: none' }))
})
export const ImportedSkills = Closed({
  ok: Type.Literal(true),
  imported: Type.Array(Closed({
    name: Type.String(), path: SkillPath, replaced: Type.Boolean({ description: 'it replaced another skill, which undoing restores' })
  }))
}, { title: 'ImportedSkills' })

export const UndoImport = Type.Object({ id: ImportId })
export const UndoneImport = Closed({
  ok: Type.Literal(true),
  removed: Type.Array(Type.String(), { description: 'names of the skills that were removed' }),
  restored: Type.Array(Type.String(), { description: 'names of the skills that are back' })
}, { title: 'UndoneImport' })

const exportedName = Type.String({ minLength: 1, maxLength: 200 })
export const ExportQuery = Type.Object({
  name: Type.Union([exportedName, Type.Array(exportedName, { minItems: 1, maxItems: 100 })], { description: 'a skill; repeat it for several' })
})
