/** All that needs a script: a link to a row in a folded table unfolds it where the browser does not, and everything is
 *  unfolded for the printer. The page can be read without it. */
export const SCRIPT = `
const unfold = () => {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = row; one; one = one.parentElement) if (one.tagName === 'DETAILS') one.open = true;
  if (row) row.scrollIntoView({ block: 'center' });
};
addEventListener('hashchange', unfold);
addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
});
if (location.hash) unfold();
`;
