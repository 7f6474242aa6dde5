// Runs before anything is drawn, so that a chosen scheme never flashes in the other one.
const chosen = localStorage.getItem('tenantry.scheme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.scheme = chosen
