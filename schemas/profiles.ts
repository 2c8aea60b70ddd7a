import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'

export const Profile = Closed({
  name: Type.String(),
  path: Type.String(),
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  gateway_running: Type.Boolean({ description: 'its agent process is up' }),
  model: Nullable(Type.String()),
  provider: Nullable(Type.String()),
  visible: Type.Boolean(),
  has_env: Type.Boolean(),
  skill_count: Type.Integer(),
  enabled_skills: Type.Integer(),
  total_skills: Type.Integer()
}, { title: 'Profile' })
export const ProfileList = Closed({ profiles: Type.Array(Profile), active: Type.String(), single_profile_mode: Type.Boolean() }, { title: 'ProfileList' })
export const ActiveProfile = Closed({
  name: Type.String(),
  path: Type.String(),
  is_default: Type.Boolean(),
  default_workspace: Nullable(Type.String())
}, { title: 'ActiveProfile' })
