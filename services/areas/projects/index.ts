export { createProjects, projectToWire, type Projects } from './projects.js'
