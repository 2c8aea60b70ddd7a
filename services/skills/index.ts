export { Skills, type Skill, type SkillsOptions } from './skills.js'
export { type LinkedFiles } from './linked-files.js'
export { answerRuns } from './requests.js'
export { skillToWire, usageToWire } from './wire.js'
