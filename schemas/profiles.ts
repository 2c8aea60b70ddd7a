import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable } from './common.js'

export const Profile = Closed({
  name: Type.String(),
  path: Type.String(),
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  gateway_running: Type.Boolean({ description: 'its agent process is running' }),
  model: Nullable(Type.String()),
  provider: Nullable(Type.String()),
  visible: Type.Boolean(),
  has_env: Type.Boolean(),
  skill_count: Type.Integer(),
  enabled_skills: Type.Integer(),
  total_skills: Type.Integer()
}, { title: 'Profile' })
export const ProfileList = Closed({
  profiles: Type.Array(Profile), active: Type.String(), single_profile_mode: Type.Boolean()
}, { title: 'ProfileList' })
export const ActiveProfile = Closed({
  name: Type.String(),
  path: Type.String(),
  is_default: Type.Boolean(),
  default_workspace: Nullable(Type.String())
}, { title: 'ActiveProfile' })

const Name = Type.String({
  minLength: 1, maxLength: 64,
  description: 'lower-case letters, digits, "-" and "_", beginning with a letter or digit; `default` is the profile of the root home'
})
const ModelOfNewProfile = {
  default_model: Maybe(Type.String({ minLength: 1, maxLength: 300 })),
  model_provider: Maybe(Type.String({
    minLength: 1, maxLength: 128, description: 'id of a provider; auto or absent: any provider that has the model'
  })),
  base_url: Maybe(Type.String({ maxLength: 2_000, description: 'address of an OpenAI-compatible server' })),
  api_key: Maybe(Type.String({ maxLength: 4_000, description: 'stored in the profile\'s .env; never returned' }))
}

export const SwitchProfile = Type.Object({ name: Name })
export const SwitchedProfile = Closed({
  profiles: Type.Array(Profile),
  active: Type.String(),
  is_default: Type.Boolean(),
  default_model: Nullable(Type.String()),
  default_model_provider: Nullable(Type.String()),
  default_workspace: Nullable(Type.String())
}, { title: 'SwitchedProfile' })

export const CreateProfile = Type.Object({
  name: Name,
  clone_config: Maybe(Type.Boolean({ description: 'copy the config.yaml, keys and SOUL.md of another profile' })),
  clone_from: Maybe(Type.String({ maxLength: 64, description: 'the profile to copy; default: the active profile of this client' })),
  ...ModelOfNewProfile
})
export const CreatedProfile = Closed({ ok: Type.Literal(true), profile: Profile }, { title: 'CreatedProfile' })

export const DeleteProfile = Type.Object({ name: Name })
export const DeletedProfile = Closed({ ok: Type.Literal(true), name: Type.String() }, { title: 'DeletedProfile' })
