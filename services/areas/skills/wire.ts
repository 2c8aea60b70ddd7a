import { type Static } from '@sinclair/typebox'
import {
  type Skill as SkillSchema, type SkillInspection as InspectionSchema, type SkillUsage as UsageSchema
} from '../../../schemas/skills.js'
import { type Inspection } from './imports.js'
import { skillFile, type FoundSkill } from './scan.js'
import { type Skill } from './skills.js'
import { type SkillCounts } from './usage.js'

export function skillToWire ({
  name, description, category, isDisabled, tags, relatedSkills, origin, place, warning, shadows
}: Skill): Static<typeof SkillSchema> {
  return {
    name,
    description,
    category,
    disabled: isDisabled,
    path: pathOf({ place }),
    tags,
    related_skills: relatedSkills,
    origin,
    read_only: origin !== 'profile',
    warning,
    shadows: shadows.map((hidden) => ({ origin: hidden.origin, path: pathOf(hidden) }))
  }
}

export function usageToWire (counts: ReadonlyMap<string, SkillCounts>, skills: readonly Skill[]): Static<typeof UsageSchema> {
  const used = [...counts.values()].map((count) => count.use_count + count.view_count)
  return {
    usage: Object.fromEntries(counts),
    skill_names: skills.map(({ name }) => name),
    total_invocations: used.reduce((sum, count) => sum + count, 0),
    unique_skills_used: used.filter((count) => count > 0).length
  }
}

export function inspectionToWire ({ id, skills, others }: Inspection): Static<typeof InspectionSchema> {
  return {
    id,
    skills: skills.map(({ files, conflict, ...skill }) => ({
      ...skill,
      files: files.map(({ path, sizeBytes, isExecutable, isScript }) => ({
        path, size: sizeBytes, executable: isExecutable, script: isScript
      })),
      conflict: conflict === null ? null : { path: pathOf(conflict), same: conflict.isSame }
    })),
    other_files: others
  }
}

export const pathOf = ({ place }: Pick<FoundSkill, 'place'>): string => `${place}/${skillFile}`
