export const skills = {
}
