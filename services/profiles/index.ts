export { createProfiles, type Profile, type Profiles } from './profiles.js'
export { readProfileSettings, type ProfileSettings } from '../ground/home/settings.js'
export { parseDotenv } from '../ground/home/dotenv.js'
